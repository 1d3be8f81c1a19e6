// `npm run build -- screenshots`: pictures of the main pages for docs/operate/console.md, of a service with scripted
// models. `npm run build -- screenshots DIR all`: each page in both colours and in three widths too, to be looked at.
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Knowledge from "@svc-runtime/features/knowledge/KnowledgeBase"
import { TraceBuffer } from "@svc-runtime/features/traces/TraceWriter"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect, Schema } from "effect"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import type { Page } from "playwright-core"
import * as Browser from "../test/Browser.ts"

const folder = process.argv[2] ?? join(import.meta.dirname, "..", "..", "..", "docs", "images")

const thinking = (millis: number) => Script.wait(Effect.sleep(millis))

const order = Schema.Struct({ order: Schema.Finite })

const answer = `Order **17** was shipped on Monday and is in Lyon.

| item         | price |
| ------------ | ----: |
| Desk lamp    |  39 € |
| Bulb, 4 of 4 |  12 € |

You can send it back until the 12th. Shall I refund the lamp?`

/** Of the second version of a stored agent. */
const better = "Yes, you can send it back until the 12th. Order 17 is in Lyon, and we have bulbs too."

const service = Effect.gen(function*() {
  const used = (input: number, output: number) => Script.usage({ input, output })
  const shop = yield* Script.make([
    [thinking(300), Script.toolCall("find_order", { order: 17 }), used(1840, 24)],
    [thinking(500), Script.text(answer), used(1990, 112)],
    [thinking(200), Script.toolCall("refund", { order: 17 }), used(2180, 21)],
    ...Array.from({ length: 4 }, () => [Script.text(better), used(2230, 40)])
  ], { id: "gpt-5", provider: "OpenAI" })
  const support = yield* Script.make(
    Array.from({ length: 40 }, (_, index) =>
      index % 9 === 4
        ? [Script.failStatus(400, { message: "The request is too long" })]
        : [Script.text("You can send it back within 30 days."), used(900 + 137 * index, 40 + 11 * index)]),
    { id: "claude-sonnet-4-5", provider: "Anthropic" }
  )
  const writer = yield* Script.make([[thinking(400), Script.text("A short text.")], [Script.hang]])
  const found = Tool.make({
    name: "find_order",
    parameters: order,
    effects: "read",
    execute: ({ order }) => Effect.as(Effect.sleep(250), { order, state: "shipped", place: "Lyon" })
  })
  const refund = Tool.make({
    name: "refund",
    parameters: order,
    approval: "required",
    execute: () => "refunded"
  })
  const agents = [
    Agent.make({
      id: "shop",
      name: "Shop",
      instructions: "You help customers of a lamp shop.\nFind the order before you answer.\nNever promise a date.",
      offeredModels: ["openai:gpt-5-mini"],
      offeredSettings: ["temperature", "max_output_tokens", "reasoning_effort"],
      description: "Answers questions about orders",
      model: shop.model,
      tools: [found, refund]
    }),
    Agent.make({ id: "support", name: "Support", description: "Answers from the handbook", model: support.model })
  ]
  const writing = Agent.make({ id: "writer", name: "Writer", model: writer.model })
  const workflows = [Workflow.make({
    id: "newsletter",
    name: "Newsletter",
    steps: [
      Step.make({ name: "topics", run: () => "lamps" }),
      Step.make({ name: "write", agent: writing }),
      Step.make({ name: "check", agent: writing }),
      Step.make({ name: "send", confirmation: { message: "Send it?" }, run: () => "sent" })
    ]
  })]
  return yield* TestServer.listen({
    agents,
    workflows,
    model: "demo",
    knowledge: [Knowledge.make({ name: "handbook" })],
    embedder: "demo",
    traces: new TraceBuffer({ hasContent: true })
  })
})

const send = async (page: Page, text: string): Promise<void> => {
  await page.getByLabel("Message").fill(text)
  await page.keyboard.press("Enter")
}

const take = (page: Page, name: string) => page.screenshot({ path: join(folder, `console-${name}.png`) })

const tour = async (page: Page, url: string): Promise<void> => {
  await send(page, "Where is my order 17?")
  await page.locator(".call").click()
  await page.getByText("Look at the run").waitFor()
  await take(page, "chat")
  await page.getByText("Look at the run").click()
  await page.locator(".waterfall .row").nth(3).waitFor()
  await page.locator(".waterfall .row").nth(2).click()
  await take(page, "run")
  await page.goBack()
  await send(page, "Yes, refund the lamp")
  await page.getByText("The run waits for you").waitFor()
  await page.getByRole("link", { name: "Approvals" }).click()
  await page.locator(".approval").waitFor()
  await take(page, "approvals")
  await page.goto(`${url}/console/#/chat/workflow/newsletter`)
  await send(page, "Lamps")
  await page.locator(".activity", { hasText: "check" }).waitFor()
  await page.getByRole("link", { name: "Workflows" }).click()
  await page.getByRole("heading", { name: "Last runs" }).waitFor()
  await page.getByRole("complementary").getByRole("link").first().click()
  await page.locator(".step.executing").waitFor()
  await take(page, "workflow")
  await page.getByRole("link", { name: "Runs", exact: true }).click()
  await page.locator("tbody tr").nth(2).waitFor()
  await take(page, "runs")
}

const component = {
  name: "Host",
  component_type: "agent",
  description: "Welcomes new customers",
  stage: "published",
  config: { instructions: "Welcome the customer.\nAnswer in one sentence.", markdown: true }
}

const next = {
  notes: "Asks for the order",
  config: {
    instructions: "Welcome the customer.\nAsk for the number of the order.\nAnswer in one sentence.",
    model: { id: "gpt-5" },
    retries: 2
  }
}

const versions = async (page: Page, url: string): Promise<void> => {
  await page.request.post(`${url}/components`, { data: component })
  await page.request.post(`${url}/components/host/configs`, { data: next })
  await page.goto(`${url}/console/#/components/host`)
  await page.locator(".difference").waitFor()
  await take(page, "component")
}

const questions = {
  name: "Real questions",
  items: [
    { input: "Hello, where is my order 17?", expected_output: "in Lyon" },
    { input: "Can I send the lamp back?", expected_output: "until the 12th" },
    { input: "Do you sell bulbs?", expected_output: "Do you sell bulbs?" }
  ]
}

/** Two versions on a message and on a dataset. Gives the address of the comparison. */
const playground = async (page: Page, url: string): Promise<string> => {
  await page.request.post(`${url}/datasets`, { data: questions })
  await page.goto(`${url}/console/#/playground/agent/host?a=1&b=2`)
  await page.getByRole("region", { name: "Variant B" }).getByLabel("Instructions").waitFor()
  await page.getByLabel("Message", { exact: true }).fill("Hello, where is my order?")
  await page.keyboard.press("Control+Enter")
  await page.getByText("Look at the run").nth(1).waitFor()
  await page.setViewportSize({ height: 1050, width: 1400 })
  await take(page, "playground")
  await page.setViewportSize({ height: 720, width: 1200 })
  await page.getByRole("button", { name: "dataset" }).click()
  await page.getByRole("button", { name: "Run A and B, and compare" }).click()
  await page.locator(".differences li").nth(2).waitFor()
  await page.locator(".sides .markdown").nth(1).waitFor()
  await take(page, "comparison")
  return new URL(page.url()).hash.slice(2)
}

const pages = [
  "chat/agent/shop",
  "approvals",
  "workflows",
  "runs",
  "traces",
  "metrics",
  "playground",
  "playground/agent/shop",
  "playground/agent/host?a=1&b=2",
  "components",
  "components/host",
  "datasets",
  "experiments",
  "evaluations",
  "knowledge?q=send+a+lamp+back",
  "memories",
  "learnings",
  "schedules",
  "webhooks",
  "accounts",
  "system"
]

const views = [
  { name: "light-1440", colorScheme: "light", width: 1440, height: 900 },
  { name: "dark-1440", colorScheme: "dark", width: 1440, height: 900 },
  { name: "light-390", colorScheme: "light", width: 390, height: 844 },
  { name: "light-820", colorScheme: "light", width: 820, height: 1100 }
] as const

const figures = (time: number, factor: number) => ({
  time: new Date(time).toISOString(),
  runs: { total: 40 * factor, completed: 38 * factor, failed: 2 * factor, cancelled: 0 },
  error_rate: 0.05,
  tokens: { input_tokens: 61_000 * factor, output_tokens: 9400 * factor, total_tokens: 70_400 * factor },
  cost: 0.31 * factor,
  duration: { p50: 1.9 + factor / 5, p95: 6 + factor },
  component_type: "agent",
  component_id: "shop"
})

/** A service of a minute has no figures of days. */
const withFigures = (page: Page) =>
  page.route(/\/metrics\/usage/, (route) => {
    const day = 86_400_000
    const today = Math.floor(Date.now() / day) * day
    const last = Date.parse(`${new URL(route.request().url()).searchParams.get("ending_date")}`)
    const data = [3, 5, 4, 6, 8, 2, 7].map((factor, index) =>
      figures(last - (6 - index) * day, last < today ? 3 : factor)
    )
    return route.fulfill({ json: { data, meta: { page: 1, limit: 1000, total_pages: 1, total_count: data.length } } })
  })

const usual = [
  "May I send a lamp back?",
  "Where is my parcel?",
  "Which bulb fits the desk lamp?",
  "Change my address"
]

/** What a service has after some days, so that no page is empty. */
const fill = async (page: Page, url: string): Promise<void> => {
  const post = async (path: string, data: object) => {
    const response = await page.request.post(`${url}${path}`, { data })
    if (!response.ok()) throw new Error(`${path}: ${response.status()} ${await response.text()}`)
    return await response.json()
  }
  for (const index of Array.from({ length: 14 }).keys()) {
    const fields = {
      message: usual[index % usual.length] ?? "",
      stream: "false",
      user_id: ["ann", "ben", "carla"][index % 3] ?? ""
    }
    await page.request.post(`${url}/agents/support/runs`, { multipart: fields })
  }
  for (
    const [name, text_content] of [
      ["Returns", "A lamp can be sent back within 30 days. The customer pays the parcel, unless the lamp is broken."],
      ["Bulbs", "The desk lamp needs a bulb with the socket E14. Four bulbs are in a box."]
    ] as const
  ) {
    await page.request.post(`${url}/knowledge/content`, { multipart: { name, text_content } })
  }
  await post("/memories", { memory: "Prefers answers in French", topics: ["language"], user_id: "ann" })
  await post("/memories", { memory: "Has two desk lamps", topics: ["orders"], user_id: "ben" })
  const expected_output = "Within 30 days, in the box that it came in."
  const items = usual.map((input) => ({ input, expected_output }))
  await post("/datasets", { name: "Returns", items })
  await post("/schedules", {
    name: "Morning report",
    cron_expr: "0 7 * * 1-5",
    endpoint: "/agents/support/runs",
    payload: { message: "What was sent back yesterday?" }
  })
}

/** Each page, and the conversation and the run that the tour has made. */
const gallery = async (page: Page, url: string, compared: string): Promise<void> => {
  const { data: [session] } = await (await page.request.get(`${url}/sessions?type=agent&component_id=shop`)).json()
  const { data: [dataset] } = await (await page.request.get(`${url}/datasets`)).json()
  const { data: [run] } = await (await page.request.get(`${url}/runs?type=agent&component_id=shop`)).json()
  const all = [
    ...pages,
    `chat/agent/shop?session=${session.session_id}`,
    `runs/${run.run_id}`,
    compared,
    `datasets/${dataset.id}?from=runs`,
    "playground/agent/host?a=1&b=2&tab=dataset"
  ]
  await fill(page, url)
  await withFigures(page)
  for (const { colorScheme, name, ...size } of views) {
    await page.setViewportSize(size)
    await page.emulateMedia({ colorScheme })
    for (const [index, path] of all.entries()) {
      await page.goto(`${url}/console/#/${path}`)
      await page.locator("main > *").first().waitFor()
      // what the page loads is drawn
      await page.waitForTimeout(500)
      await take(page, `${name}-${String(index).padStart(2, "0")}-${path.split(/[/?]/, 2).join("-")}`)
    }
    await page.goto(`${url}/console/#/runs`)
    await page.keyboard.press("Control+k")
    await page.getByLabel("Search pages").waitFor()
    await take(page, `${name}-search`)
    await page.keyboard.press("Escape")
  }
}

mkdirSync(folder, { recursive: true })
await Effect.runPromise(Effect.scoped(Effect.gen(function*() {
  const browser = yield* Browser.launch
  const { url } = yield* service
  const { page } = yield* Browser.open(browser, `${url}/console/`, { height: 720, width: 1200 })
  yield* Effect.promise(() => tour(page, url))
  yield* Effect.promise(() => versions(page, url))
  const compared = yield* Effect.promise(() => playground(page, url))
  if (process.argv[3] === "all") yield* Effect.promise(() => gallery(page, url, compared))
})))
// a run that the tour leaves would keep the service open until its model replies
process.exit(0)
