// `npm run bench:console`: when the first screen is there, and what a stream of 100 pieces a second costs the browser,
// and how its memory grows in a long conversation.
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
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

const turns = 300

/** Megabytes of heap that are in use after each hundred turns of one conversation. */
const grown = async (page: Page) => {
  const session = await page.context().newCDPSession(page)
  const used: Array<number> = []
  for (let turn = 1; turn <= turns; turn++) {
    await page.getByLabel("Message").fill(`Question ${turn}`)
    await page.keyboard.press("Enter")
    await page.getByText(`Answer ${turn}.`).waitFor()
    await page.getByRole("button", { name: "Send" }).waitFor()
    if (turn % 100 !== 0) continue
    await session.send("HeapProfiler.collectGarbage")
    const { usedSize } = await session.send("Runtime.getHeapUsage")
    used.push(usedSize / 1e6)
  }
  return used
}

await Effect.runPromise(Effect.scoped(Effect.gen(function*() {
  const browser = yield* Browser.launch
  const { model } = yield* Script.make([steps.flat()])
  const talker = yield* Script.make(Array.from({ length: turns }, (_, index) => [
    ...Array.from({ length: 100 }, (_, piece) => Script.text(text(piece))),
    Script.text(`\n\nAnswer ${index + 1}.`)
  ]))
  const { url } = yield* TestServer.listen({
    agents: [Agent.make({ id: "writer", model }), Agent.make({ id: "talker", model: talker.model })]
  })
  const { page } = yield* Browser.open(browser, `${url}/console/`)
  const screens = yield* Effect.promise(() => firstScreens(page, `${url}/console/`))
  console.log(`first screen: ${Math.round(screens[Math.floor(visits / 2)] ?? 0)} ms in the median of ${visits}`)
  const { megabytes, seconds, share } = yield* Effect.promise(() => streamed(page))
  console.log(
    `${pieces} pieces in ${seconds.toFixed(1)} s: ${(share * 100).toFixed(1)} % of a core, ${
      megabytes.toFixed(0)
    } MB of heap`
  )
  yield* Effect.promise(() => page.goto(`${url}/console/#/chat/agent/talker`))
  const used = yield* Effect.promise(() => grown(page))
  console.log(`heap after 100, 200 and 300 turns: ${used.map((each) => each.toFixed(1)).join(", ")} MB`)
})))
