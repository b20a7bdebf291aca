"""The one trainer: any network, on any data, stopped early, resumed after a kill."""
