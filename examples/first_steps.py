"""Load vectors, measure them, look at a direction, debias them, and keep a report."""

import unslant as us

vectors = us.load()  # the built-in GloVe slice; or us.load("your-vectors.txt")
gender = us.concept("gender")

career = us.measure("weat", vectors, gender.test("career-family"))
assert career.p is not None
print(f"Career and family: d = {career.value:.2f}, p = {career.p.value:.4f} ({career.p.how})")

lean = us.measure("direct-bias", vectors, gender)
words = sorted(lean.points, key=lambda point: point["projection"])
print("Most male: ", ", ".join(str(point["word"]) for point in words[:5]))
print("Most female:", ", ".join(str(point["word"]) for point in words[-5:]))

direction = us.estimate("pair-pca(definitional, k=1)", vectors, gender)
print(f"{direction.estimator}: explains {direction.explained[0]:.0%} of the pairs' variance")

fair = us.debias("hard | misp", vectors, gender)
after = us.measure("weat", fair, gender.test("career-family"))
print(f"Career and family in {fair.name}: d = {after.value:.2f}")

report = us.audit(fair, gender, baseline=vectors).save("unslant-report-gender.html")
print(f"Report: {report}")
