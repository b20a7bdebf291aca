/* Search runs in a worker, and browsers start no workers for pages that are opened as files. Here a
   hidden frame takes its place: it has a window of its own, which shares nothing but messages. */
if (location.protocol === "file:") {
  window.IFrameWorker = class extends EventTarget {
    constructor(url) {
      super()
      this.waiting = []
      this.frame = document.createElement("iframe")
      this.frame.hidden = true
      document.body.appendChild(this.frame)
      const inside = this.frame.contentWindow
      inside.postMessage = data => {
        const message = new MessageEvent("message", { data })
        this.dispatchEvent(message)
        if (this.onmessage) this.onmessage(message)
      }
      inside.importScripts = async (...sources) => {
        for (const source of sources) await this.load(source)
      }
      this.load(url).then(() => {
        this.ready = true
        for (const data of this.waiting.splice(0)) this.postMessage(data)
      })
    }

    load(source) {
      const inside = this.frame.contentDocument
      return new Promise((done, failed) => {
        const script = inside.createElement("script")
        script.src = source
        script.onload = done
        script.onerror = failed
        inside.body.appendChild(script)
      })
    }

    postMessage(data) {
      if (!this.ready) this.waiting.push(data)
      else this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data }))
    }

    terminate() {
      this.frame.remove()
    }
  }
  window.Worker = window.IFrameWorker
}
