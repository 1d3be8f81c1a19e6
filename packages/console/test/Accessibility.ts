// What axe finds on a page.
import axe from "axe-core"
import { Effect } from "effect"
import type { Page } from "playwright-core"

/** Serious and critical findings, each with the first element that has it. */
export const findingsOn = (page: Page) =>
  Effect.promise(async () => {
    // as a debugger does: the page's policy allows no script of others
    const session = await page.context().newCDPSession(page)
    const { result: loaded } = await session.send("Runtime.evaluate", { expression: "typeof axe" })
    // half a megabyte, which stays in a document
    if (loaded.value === "undefined") await session.send("Runtime.evaluate", { expression: axe.source })
    const { result } = await session.send("Runtime.evaluate", {
      expression: `axe.run({ resultTypes: ["violations"] }).then(({ violations }) => JSON.stringify(violations))`,
      awaitPromise: true
    })
    await session.detach()
    const violations = JSON.parse(String(result.value)) as ReadonlyArray<axe.Result>
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ""}`)
  })
