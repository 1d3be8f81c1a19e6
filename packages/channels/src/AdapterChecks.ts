// What every adapter of a channel has to do, as checks for any test runner. A platform is its adapter, and something
// that behaves as the platform does: usually a small server in the test.
import * as Json from "@svc-runtime/domain/Json"
import { deepStrictEqual, fail, match, ok, strictEqual } from "node:assert"
import { inspect } from "node:util"
import type * as Adapter from "./Adapter.ts"
import { ChannelError } from "./ChannelError.ts"

/** A platform, for one check. */
export interface TestedPlatform {
  readonly adapter: Adapter.Adapter
  /** The body with which the platform tells that a person has written this text to the agent. */
  readonly written: (text: string) => string
  /** The request with this body, with the proof that the platform has sent it. */
  readonly signed: (body: string) => Adapter.Delivery
  /** What people see on the platform: a text for each message, in the form of the platform. */
  readonly shown: () => ReadonlyArray<string>
  /** The labels of the buttons that people see at the last message. */
  readonly buttons?: (() => ReadonlyArray<string>) | undefined
  /** The body with which the platform tells that a person has pressed a button of the last message. */
  readonly pressed?: ((prompt: Adapter.Prompt, choice: string) => string) | undefined
  /** Texts of the settings that are secret. */
  readonly secrets: ReadonlyArray<string>
}

export interface AdapterCheck {
  /** A sentence. */
  readonly title: string
  readonly check: () => Promise<void>
}

type Fetch = Adapter.Context["fetch"]

const direct: Fetch = (url, init) => fetch(url, { ...init, redirect: "manual" })

const contextOf = (fetch: Fetch = direct, signal = new AbortController().signal): Adapter.Context => ({
  signal,
  fetch,
  prompt: async (id) => id === prompt.id ? prompt : undefined
})

/** Has the longest ids. */
const prompt: Adapter.Prompt = {
  id: "p".repeat(24),
  choices: [
    { id: "approve".padEnd(20, "_"), label: "Approve", style: "primary" },
    { id: "other", label: `Something else & <more> ${"of it ".repeat(12)}`, style: "plain" },
    {
      id: "reject",
      label: "Reject",
      style: "danger",
      form: {
        title: "Why not?",
        fields: [{ name: "reason", label: "Reason", type: "paragraph", isRequired: false }]
      }
    }
  ]
}

const failureOf = async (work: () => Promise<unknown>): Promise<unknown> => {
  try {
    await work()
  } catch (error) {
    return error
  }
  return fail("The call had to fail")
}

const reasonOf = (error: unknown): string => error instanceof ChannelError ? error.reason : inspect(error)

/** Milliseconds after which a call that has to end has not. */
const patience = 5000

const endsSoon = async (work: Promise<unknown>, message: string): Promise<void> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(message)), patience)
  })
  const ended = work.then(() => undefined, () => undefined)
  await Promise.race([ended, late]).finally(() => clearTimeout(timer))
}

const hasLength = (text: unknown, max: number): boolean =>
  typeof text === "string" && text.length > 0 && text.length <= max

const isFile = (file: Adapter.SentFile): boolean => Json.isObject(file.source)

/** What the service could not store or answer. */
const problemOf = (event: Adapter.Event): string | undefined => {
  if (!hasLength(event.id, 200)) return "its id has to have 1 to 200 characters"
  if (!hasLength(event.thread, 300)) return "its thread has to have 1 to 300 characters"
  if (!hasLength(event.sender.id, 300)) return "its sender needs an id of 1 to 300 characters"
  if (!Json.isObject(event.place)) return "its place has to be an object"
  if (typeof event.isDirect !== "boolean") return "isDirect has to be true or false"
  if (event.type === "press") {
    return hasLength(event.choice, 20)
      ? undefined
      : "its choice has to have 1 to 20 characters"
  }
  if (typeof event.text !== "string") return "its text has to be a text"
  return event.type === "message" && !(event.files ?? []).every(isFile)
    ? "the source of a file is no object"
    : undefined
}

const checkEvents = (events: ReadonlyArray<Adapter.Event>): void => {
  for (const event of events) {
    const problem = problemOf(event)
    ok(problem === undefined, `An event cannot be stored: ${problem}. ${inspect(event)}`)
    deepStrictEqual(JSON.parse(JSON.stringify(event.place)), event.place, "The place has to be JSON")
  }
}

/** Bodies with another value in one of the places of this one. */
function* changesOf(value: unknown): Generator<unknown> {
  yield* [null, 0, -1, true, "", "x".repeat(10_000), [], {}]
  if (typeof value !== "object" || value === null) return
  for (const [name, inside] of Object.entries(value)) {
    for (const changed of changesOf(inside)) {
      yield Array.isArray(value)
        ? value.map((each, index) => String(index) === name ? changed : each)
        : { ...value, [name]: changed }
    }
  }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const unreadable = ["", " ", "{", "[]", "null", "1", `"text"`, "\u0000", "[".repeat(50_000), `{"__proto__":{"a":1}}`]

const hostile = [
  "1 < 2 & 3 > 2",
  "a **b *c _d ~~e `f [g](h",
  "[click](javascript:alert(1)) <script>alert(1)</script>",
  "@everyone <!channel> <@U1> @here",
  "| a | b |\n|---|---|\n| `c` | **d** |",
  `${"> ".repeat(200)}deep`,
  "*_~`".repeat(200),
  "```js\nconst a = `b`\n",
  "# Title\n\n- one\n  - two\n    1. three",
  "zero \u0000 lone \ud83d surrogate",
  "\u202eright to left\u202c ثلاثة 👩‍👩‍👧‍👦"
]

/** Paragraphs, a block of code, and a word that is too long for one message. */
const longText = (max: number): string => {
  const size = Math.min(max, 50_000)
  let next = 0
  const words = (count: number) => Array.from({ length: count }, () => `w${next++}.`).join(" ")
  const paragraphs = (count: number) => Array.from({ length: count }, () => words(20)).join("\n\n")
  const count = Math.ceil(size / 100)
  const code = Array.from({ length: count }, () => words(10)).join("\n")
  return `${paragraphs(count)}\n\n\`\`\`ts\n${code}\n\`\`\`\n\n${"é".repeat(size + 10)}\n\n${paragraphs(count)}`
}

const wordsOf = (text: string): ReadonlyArray<string> => text.match(/\bw\d+\./g) ?? []

const response = (status: number, headers: Readonly<Record<string, string>> = {}): Fetch => async () =>
  new Response("{}", { status, headers: { "content-type": "application/json", ...headers } })

const message = { text: "Hello", key: "k1" } as const

/**
 * Checks what the service relies on: what the platform sends is read and proved, what cannot be read is refused, long
 * texts are split into messages that the platform accepts, and failures say what to do. `make` is called for each
 * check, and all calls of the adapter go through `fetch` of their context.
 *
 * @example
 * ```ts
 * for (const { check, title } of adapterChecks(makePlatform)) test(title, check)
 * ```
 */
export const adapterChecks = (
  make: () => Promise<TestedPlatform> | TestedPlatform
): ReadonlyArray<AdapterCheck> => {
  const checkOf = (title: string, check: (platform: TestedPlatform) => Promise<void>): AdapterCheck => ({
    title,
    check: async () => check(await make())
  })

  /** Where a person has written to the agent. */
  const arrived = async ({ adapter, signed, written }: TestedPlatform, text = "Hello") => {
    const { events } = await adapter.receive(signed(written(text)), contextOf())
    const [event] = events
    strictEqual(events.length, 1, "A text of a person is one event")
    if (event?.type !== "message") return fail(`A text of a person is a message: ${inspect(event)}`)
    return event
  }

  const post = async (platform: TestedPlatform, sent: Partial<Adapter.OutgoingMessage>, place: Json.Object) => {
    const id = await platform.adapter.post(place, { ...message, ...sent }, contextOf())
    ok(hasLength(id, 300), `The id of a message has to have 1 to 300 characters: ${inspect(id)}`)
    return id
  }

  const read = async ({ adapter }: TestedPlatform, delivery: Adapter.Delivery): Promise<void> => {
    const received = await adapter.receive(delivery, contextOf()).then(({ events }) => events, reasonOf)
    if (typeof received === "string") match(received, /^(?:forged|malformed)$/)
    else checkEvents(received)
  }

  /** A call of the platform whose answer is replaced. */
  const failing = async (platform: TestedPlatform, fetch: Fetch) => {
    const { place } = await arrived(platform)
    const error = await failureOf(() => platform.adapter.post(place, message, contextOf(fetch)))
    for (const secret of platform.secrets) ok(!inspect(error).includes(secret), "An error shows a secret")
    return error
  }

  return [
    checkOf("The name and the limits of the platform can be used.", async ({ adapter }) => {
      match(adapter.platform, /^[a-z][a-z0-9-]{0,39}$/)
      const { editEvery = 0, file, postEvery, text } = adapter.limits
      ok(text >= 20 && editEvery >= 0 && postEvery >= 0 && file >= 0, inspect(adapter.limits))
      strictEqual(adapter.limits.editEvery !== undefined, adapter.edit !== undefined, "editEvery is a limit of edit")
    }),
    checkOf("What a person writes is a message, and the same one when it is delivered again.", async (platform) => {
      const delivery = platform.signed(platform.written("Hello & <b>you</b>"))
      const [first, again] = [
        await platform.adapter.receive(delivery, contextOf()),
        await platform.adapter.receive(delivery, contextOf())
      ]
      checkEvents(first.events)
      const [event] = first.events
      strictEqual(event?.type === "message" && event.text, "Hello & <b>you</b>")
      deepStrictEqual(again.events, first.events)
      const other = await arrived(platform, "Another one")
      ok(other.id !== event?.id, "Each message has an id of its own")
      strictEqual(other.thread, event?.thread)
    }),
    checkOf(
      "A request without its proof, or with another one, is refused as forged.",
      async ({ adapter, ...platform }) => {
        const delivery = platform.signed(platform.written("Hello"))
        strictEqual(
          reasonOf(await failureOf(() => adapter.receive({ ...delivery, headers: {} }, contextOf()))),
          "forged"
        )
        let refused = 0
        for (const [name, value] of Object.entries(delivery.headers)) {
          for (const changed of [`${value}x`, value.slice(0, -1), ""]) {
            const headers = { ...delivery.headers, [name]: changed }
            const reason = await adapter.receive({ ...delivery, headers }, contextOf()).then(() => undefined, reasonOf)
            if (reason === "forged") refused++
            else match(reason ?? "malformed", /^malformed$/)
          }
        }
        ok(refused > 0, "No header is a proof")
      }
    ),
    checkOf(
      "What cannot be read is refused, and no body leads to an event that cannot be stored.",
      async (platform) => {
        for (const body of unreadable) await read(platform, platform.signed(body))
        const delivery = platform.signed("{}")
        await read(platform, { ...delivery, body: new Uint8Array([0xff, 0xfe, 0x00]) })
        const text = platform.written("Hello")
        const body = parsed(text)
        for (const changed of body === undefined ? [] : changesOf(body)) {
          await read(platform, platform.signed(JSON.stringify(changed)))
        }
        for (let end = 0; end < text.length; end += Math.ceil(text.length / 20)) {
          await read(platform, platform.signed(text.slice(0, end)))
        }
      }
    ),
    checkOf("A message is posted where the person has written, and people see it.", async (platform) => {
      const { place } = await arrived(platform)
      await post(platform, {}, JSON.parse(JSON.stringify(place)))
      ok(platform.shown().some((text) => text.includes("Hello")), "People do not see the message")
    }),
    checkOf("A long text is split into messages that the platform accepts, with each word once.", async (platform) => {
      const { limits, split } = platform.adapter
      const { place } = await arrived(platform)
      const text = longText(limits.text)
      const parts = split(text)
      ok(parts.length > 1)
      deepStrictEqual(parts.flatMap(wordsOf), wordsOf(text))
      for (const [index, part] of parts.entries()) {
        ok((part.match(/^\s*```/gm) ?? []).length % 2 === 0, "A block of code is not closed")
        await post(platform, { text: part, key: `part-${index}` }, place)
      }
    }),
    checkOf("Texts with signs of the platform are accepted.", async (platform) => {
      const { place } = await arrived(platform)
      for (const [index, text] of hostile.entries()) {
        for (const part of platform.adapter.split(text)) await post(platform, { text: part, key: `h-${index}` }, place)
      }
      strictEqual(platform.adapter.split("").filter((part) => part !== "").length, 0)
    }),
    checkOf("An edit replaces a message, and can be repeated.", async (platform) => {
      const { edit } = platform.adapter
      if (edit === undefined) return
      const { place } = await arrived(platform)
      const id = await post(platform, { text: "Thinking", status: "Calling search" }, place)
      for (const text of ["Half an", "Half an answer", "Half an answer"]) {
        await edit(place, id, { ...message, text }, contextOf())
      }
      ok(platform.shown().some((text) => text.includes("Half an answer")), "People do not see the edit")
      ok(!platform.shown().some((text) => text.includes("Thinking")), "People see the text from before")
    }),
    checkOf("A message is found by its key, and no other one.", async (platform) => {
      const { find } = platform.adapter
      if (find === undefined) return
      const { place } = await arrived(platform)
      const id = await post(platform, { key: "known" }, place)
      strictEqual(await find(place, "known", contextOf()), id)
      strictEqual(await find(place, "unknown", contextOf()), undefined)
    }),
    checkOf(
      "Buttons are accepted, with the longest ids, and a press names its prompt and its choice.",
      async (platform) => {
        const { adapter, pressed, signed } = platform
        const { place } = await arrived(platform)
        if (!adapter.limits.hasButtons) return
        await post(platform, { prompt }, place)
        const choice = prompt.choices[0]?.id ?? ""
        if (pressed === undefined) return
        const { events } = await adapter.receive(signed(pressed(prompt, choice)), contextOf())
        checkEvents(events)
        const [event] = events
        if (event?.type !== "press") return fail(`A pressed button is a press: ${inspect(event)}`)
        deepStrictEqual([event.prompt, event.choice], [prompt.id, choice])
      }
    ),
    checkOf("An edit gives a message its buttons, and takes them away.", async (platform) => {
      const { adapter: { edit, limits }, buttons } = platform
      if (edit === undefined || buttons === undefined || !limits.hasButtons) return
      const { place } = await arrived(platform)
      const id = await post(platform, {}, place)
      strictEqual(buttons().length, 0, "A message without a prompt has buttons")
      await edit(place, id, { ...message, prompt }, contextOf())
      strictEqual(buttons().length, prompt.choices.length, "The edited message has no buttons")
      await edit(place, id, { ...message, text: "Done" }, contextOf())
      strictEqual(buttons().length, 0, "The buttons of a decided prompt are still there")
    }),
    checkOf("Files are accepted, with a text and without one.", async (platform) => {
      if (platform.adapter.limits.file === 0) return
      const { place } = await arrived(platform)
      const files = [{ name: "a b.txt", mediaType: "text/plain", bytes: new TextEncoder().encode("Hello") }]
      await post(platform, { files, key: "f1" }, place)
      await post(platform, { text: "", files, key: "f2" }, place)
    }),
    checkOf("A call fails with what to do: wait, try again, change the settings.", async (platform) => {
      const limited = await failing(platform, response(429, { "retry-after": "7" }))
      strictEqual(reasonOf(limited), "rate_limited")
      ok(limited instanceof ChannelError && (limited.retryAfter ?? 0) > 0, "retryAfter has the seconds")
      strictEqual(reasonOf(await failing(platform, response(401))), "unauthorized")
      for (const status of [500, 503]) strictEqual(reasonOf(await failing(platform, response(status))), "temporary")
      ok(await failing(platform, response(302, { location: "http://127.0.0.1:1/" })), "A redirect is no success")
      const away = await failing(platform, () => Promise.reject(new TypeError("fetch failed")))
      // other errors count as temporary
      ok(!(away instanceof ChannelError) || away.reason === "temporary", inspect(away))
    }),
    checkOf("A call ends when its signal is aborted.", async (platform) => {
      const { place } = await arrived(platform)
      const controller = new AbortController()
      const calls: Array<string> = []
      const silent: Fetch = (url, init) =>
        new Promise((_, reject) => {
          calls.push(url)
          init?.signal?.addEventListener("abort", () => reject(new DOMException("Aborted", "AbortError")))
        })
      const context = contextOf(silent, controller.signal)
      const posted = platform.adapter.post(place, message, context)
      const listened = platform.adapter.listen?.(async () => undefined, context)
      setImmediate(() => controller.abort())
      await endsSoon(posted, "post has not ended: pass the signal of the context to fetch")
      if (listened !== undefined) await endsSoon(listened, "listen has not ended")
      ok(calls.length > 0, "The calls of an adapter go through fetch of the context")
    }),
    checkOf("The settings can be tested, and no secret is shown.", async ({ adapter, secrets }) => {
      const text = await adapter.test(contextOf())
      ok(text !== "", "The test says who the agent is on the platform")
      for (const secret of secrets) {
        ok(
          ![text, inspect(adapter, { depth: 9 }), JSON.stringify(adapter)].join(" ").includes(secret),
          "A secret is shown"
        )
      }
    }),
    checkOf("A person can be written to without a question.", async (platform) => {
      const { directPlace } = platform.adapter
      if (directPlace === undefined) return
      const { sender } = await arrived(platform)
      await post(platform, { key: "direct" }, await directPlace(sender.id, contextOf()))
    })
  ]
}
