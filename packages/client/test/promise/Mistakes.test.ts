// Mistakes of callers, of whom not all have a compiler that finds them: methods of other clients, and values of which
// JSON has nothing.
import { assert, describe, it } from "@effect/vitest"
import { answer, type Svc } from "@svc-runtime/client"
import { json, respondingWith, thrownBy } from "./Responses.ts"

const { svc: client } = respondingWith(() => json({}))
const svc = client as Svc & Record<string, { readonly completions: unknown }>

const methods: ReadonlyArray<readonly [method: string, todo: string]> = [
  ["generate", "Write run(…), or stream(…) for its events"],
  ["invoke", "Write run(…), or stream(…) for its events"],
  ["streamText", "Write run(…), or stream(…) for its events"],
  ["approve", "Write continue(run, approve(run)), with approve of the package"],
  ["confirm", "Write continue(run, approve(run)), with approve of the package"],
  ["resume", "Write continue(run, approve(run)), or continue(run, answer(run, values))"],
  ["stop", "Write cancel(run)"]
]

describe("methods of other clients", () => {
  it.each(methods)("a component has no method %s, and its call says what to write", (method, todo) => {
    for (const component of [svc.agent("a"), svc.workflow("a")]) {
      assert.throws(
        () => Reflect.apply(Reflect.get(component, method), component, ["Hi"]),
        `svc.${component.kind}(…) has no method '${method}'. ${todo}`
      )
    }
  })

  it.each([
    [
      () => svc["chat"]?.completions,
      "The client has no property 'chat'. Write svc.agent(id).run(…). A client of OpenAI can call the service too, at " +
      "baseURL + \"/v1\""
    ],
    [
      () => Reflect.get(svc, "run"),
      "The client has no property 'run'. Write svc.agent(id).run(…), or stream(…) for its events"
    ],
    [
      () => Reflect.get(svc, "getAgent"),
      "The client has no property 'getAgent'. Write svc.agent(id), or svc.agents.list()"
    ],
    [
      () => Reflect.get(svc, "threads"),
      "The client has no property 'threads'. Write svc.sessions: they have the runs of a conversation"
    ]
  ])("the client has none of the properties of other clients, and says what to write: %#", (read, sentence) => {
    assert.throws(read, sentence)
  })

  it("the names of other clients are no properties that objects are read or copied by, and a program can add its own", () => {
    const [component, own] = [svc.agent("a"), respondingWith(() => json({})).svc]
    const copied = { ...component, ...own }
    for (const name of ["generate", "chat", "run"]) assert.notInclude(Object.keys(copied), name)
    for (const name in component) assert.notStrictEqual(name, "generate")
    Object.assign(own, { chat: "mine" })
    assert.strictEqual(Reflect.get(own, "chat"), "mine")
    assert.throws(() => Reflect.get(svc, "chat"))
  })
})

class Empty {
  readonly #secret = 1
  get secret() {
    return this.#secret
  }
}

class Cart {
  readonly items = 2
}

const toMap = ". Write Object.fromEntries(…) around it"

describe("values of which JSON has nothing", () => {
  it.each<[unknown, string]>([
    [new Map([["a", 1]]), `A run takes a text, or an object: { message: … }. It was given a Map${toMap}`],
    [new Date(0), "A run takes a text, or an object: { message: … }. It was given a Date"],
    [5, "A run takes a text, or an object: { message: … }. It was given 5"],
    [{ message: new Map() }, `JSON has nothing of 'message', which is a Map${toMap}`],
    [{ message: { cart: new Set([1]) } }, "JSON has nothing of 'cart', which is a Set. Write [...…] around it"],
    [
      { message: "Hi", session_state: { cart: new Map() } },
      `JSON has nothing of 'cart', which is a Map${toMap}`
    ],
    [{ message: "Hi", metadata: new Map() }, `JSON has nothing of 'metadata', which is a Map${toMap}`],
    [{ message: "Hi", dependencies: { db: new Empty() } }, "JSON has nothing of 'db', which is an Empty"],
    [{ message: "Hi", dependencies: { load: () => 1 } }, "JSON has nothing of 'load', which is a function"],
    [{ message: "Hi", metadata: { big: 1n } }, "JSON has nothing of 'big', which is a bigint"],
    [
      { message: "Hi", session_state: Promise.resolve({}) },
      "JSON has nothing of 'session_state', which is a Promise. Write await before it"
    ],
    [
      { message: "Hi", metadata: { errors: [new Error("x")] }, file: new Blob(["x"]) },
      "JSON has nothing of '0', which is an Error"
    ]
  ])("a run with one is refused before a request: %#", async (input, sentence) => {
    const { sent, svc } = respondingWith(() => json({ run_id: "r" }))
    const error = await thrownBy(() => svc.agent("a").run(input as never))
    assert.instanceOf(error, TypeError)
    assert.strictEqual((error as Error).message, sentence)
    assert.lengthOf(sent, 0)
  })

  it("an event and other requests are refused too", async () => {
    const { sent, svc } = respondingWith(() => json({ run_id: "r" }))
    const error = await thrownBy(() => svc.sessions.create({ session_state: { cart: new Map() } } as never))
    assert.strictEqual((error as Error).message, `JSON has nothing of 'cart', which is a Map${toMap}`)
    assert.lengthOf(sent, 0)
  })

  it("dates, addresses, objects of classes with fields and empty objects are sent as JSON has them", async () => {
    const { sent, svc } = respondingWith(() => json({ run_id: "r" }))
    const session_state = { at: new Date(0), url: new URL("http://x/"), cart: new Cart(), none: {}, nothing: undefined }
    await svc.agent("a").run({ message: "Hi", session_state: session_state as never })
    assert.deepStrictEqual(await sent[0]?.json(), {
      message: "Hi",
      stream: false,
      session_state: {
        at: "1970-01-01T00:00:00.000Z",
        url: "http://x/",
        cart: { items: 2 },
        none: {}
      }
    })
  })
})

const run = { run_id: "r", session_id: "s" }
const ofTest = { output: run, status: "PAUSED" }
const unawaited = Promise.resolve(run)

const takers: Readonly<Record<string, (given: never) => unknown>> = {
  branches: (given) => svc.agent("a").branches(given),
  cancel: (given) => svc.agent("a").cancel(given),
  checkpoint: (given) => svc.agent("a").checkpoint(given, 1),
  checkpoints: (given) => svc.agent("a").checkpoints(given),
  continue: (given) => svc.agent("a").continue(given, {}),
  edit: (given) => svc.agent("a").edit(given, "Hi"),
  get: (given) => svc.agent("a").get(given),
  regenerate: (given) => svc.agent("a").regenerate(given),
  switch: (given) => svc.agent("a").switch(given),
  watch: (given) => svc.agent("a").watch(given)
}

describe("what is no run", () => {
  it.each(Object.keys(takers))("%s takes a run, and says what it was given", async (name) => {
    for (
      const [given, sentence] of [
        [ofTest, "This is a run of a test. Write .output after it"],
        [unawaited, "This run is not awaited. Write await before it"],
        ["r", "This is no run, but the text 'r'. Give what run(…) returned, or its ids"],
        [undefined, "This is no run, but undefined. Give what run(…) returned, or its ids"]
      ] as const
    ) {
      const error = await thrownBy(async () => takers[name]?.(given as never))
      assert.strictEqual((error as Error).message, sentence)
    }
  })

  const decisions =
    "A run is continued with decisions, as approve(run), reject(run) and answer(run, values) give them, " +
    "and was given"

  it.each([
    [() => svc.agent("a").continue(run, "approve" as never), `${decisions} "approve"`],
    [() => svc.agent("a").continue(run, true as never), `${decisions} true`],
    [() => Reflect.apply(svc.agent("a").continue, svc.agent("a"), [run]), `${decisions} undefined`],
    [() => svc.agent("a").continue(run, [] as never), `${decisions} a list`],
    [() => svc.agent("a").continue(run, run as never), `${decisions} the run`],
    [
      () => svc.agent("a").list({ session_id: "s" } as never),
      "This is no id: an object. Give its id, 's'"
    ],
    [
      () => svc.agent("a").run("Hi", "s" as never),
      "The options of a call are an object, such as { signal }, and no string. The session and the user are fields of " +
      "the run: { message: …, session_id: … }"
    ],
    [
      () => answer({ ...run, requirements: [] }, "yes" as never),
      "answer(run, values) takes values by the names of their fields: { name: \"yes\" }"
    ]
  ])("a value of another kind is refused before a request: %#", async (call, sentence) => {
    const error = await thrownBy(async () => call())
    assert.strictEqual((error as Error).message, sentence)
  })
})
