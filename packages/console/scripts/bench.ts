// `npm run bench:console`: when the first screen is there, and what a stream of 100 pieces a second costs the browser.
import * as Agent from "@svc/runtime/agent/Agent"
import * as Script from "@svc/testing/ScriptedModel"
import * as TestServer from "@svc/testing/TestServer"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import * as Browser from "../test/Browser.ts"

const pieces = 1000

const text = (index: number): string => index % 40 === 0 ? `\n\nParagraph **${index}** ` : `word${index} `

const steps = Array.from({ length: pieces }, (_, index) => [Script.text(text(index)), Script.wait(Effect.sleep(10))])

const visits = 9

/** Milliseconds from a visit to the place for a message. */
const firstScreens = async (page: Page, url: string): Promise<ReadonlyArray<number>> => {
  const taken: Array<number> = []
  for (let visit = 0; visit < visits; visit++) {
    await page.goto("about:blank")
    const start = performance.now()
    await page.goto(url)
    await page.getByLabel("Message").waitFor()
    taken.push(performance.now() - start)
  }
  return taken.toSorted((one, other) => one - other)
}

const streamed = async (page: Page) => {
  const session = await page.context().newCDPSession(page)
  await session.send("Performance.enable")
  const metrics = async () => {
    const { metrics } = await session.send("Performance.getMetrics")
    const of = (wanted: string) => metrics.find(({ name }) => name === wanted)?.value ?? 0
    return { task: of("TaskDuration"), heap: of("JSHeapUsedSize") }
  }
  const before = await metrics()
  const start = performance.now()
  await page.getByLabel("Message").fill("Write")
  await page.keyboard.press("Enter")
  await page.getByText("Look at the run").waitFor()
  const seconds = (performance.now() - start) / 1000
  const after = await metrics()
  return { seconds, share: (after.task - before.task) / seconds, megabytes: after.heap / 1e6 }
}

await Effect.runPromise(Effect.scoped(Effect.gen(function*() {
  const browser = yield* Browser.launch
  const { model } = yield* Script.make([steps.flat()])
  const { url } = yield* TestServer.listen({ agents: [Agent.make({ id: "writer", model })] })
  const { page } = yield* Browser.open(browser, `${url}/console/`)
  const screens = yield* Effect.promise(() => firstScreens(page, `${url}/console/`))
  console.log(`first screen: ${Math.round(screens[Math.floor(visits / 2)] ?? 0)} ms in the median of ${visits}`)
  const { megabytes, seconds, share } = yield* Effect.promise(() => streamed(page))
  console.log(
    `${pieces} pieces in ${seconds.toFixed(1)} s: ${(share * 100).toFixed(1)} % of a core, ${
      megabytes.toFixed(0)
    } MB of heap`
  )
})))
