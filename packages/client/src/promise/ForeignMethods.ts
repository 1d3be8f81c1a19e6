// What clients of other libraries call the methods of this one. In JavaScript such a call would fail with no more than
// "is not a function".

/** The names, and what to write. */
type Row = readonly [names: string, todo: string]

const ofComponents: ReadonlyArray<Row> = [
  [
    "arun ask batch chat complete create createRun createRunAsync execute generate generateText invoke kickoff predict " +
    "query sendMessage streamEvents streamText submit",
    "Write run(…), or stream(…) for its events"
  ],
  ["resume respond submitToolOutputs", "Write continue(run, approve(run)), or continue(run, answer(run, values))"],
  ["approve confirm", "Write continue(run, approve(run)), with approve of the package"],
  ["deny reject", "Write continue(run, reject(run, note)), with reject of the package"],
  ["resumeStream", "Write continueStream(run, approve(run))"],
  ["sendEvent signal", "Write send(run, event)"],
  ["abort stop", "Write cancel(run)"],
  ["getRun retrieve status wait", "Write get(run), or watch(run) for its events"]
]

const ofService: ReadonlyArray<Row> = [
  [
    "chat completions messages responses",
    "Write svc.agent(id).run(…). A client of OpenAI can call the service too, at baseURL + \"/v1\""
  ],
  ["ask generate invoke run stream", "Write svc.agent(id).run(…), or stream(…) for its events"],
  ["assistants beta getAgent", "Write svc.agent(id), or svc.agents.list()"],
  ["getTeam", "Write svc.team(id)"],
  ["getWorkflow", "Write svc.workflow(id)"],
  ["conversations threads", "Write svc.sessions: they have the runs of a conversation"]
]

type Named = (self: unknown) => string

/** Other code may give an object a property of such a name. */
const add = (prototype: object, rows: ReadonlyArray<Row>, of: (name: string, todo: string) => PropertyDescriptor) => {
  for (const [names, todo] of rows) {
    for (const name of names.split(" ")) {
      Object.defineProperty(prototype, name, { ...of(name, todo), configurable: true })
    }
  }
}

const missing = (owner: string, what: string, name: string, todo: string): TypeError =>
  new TypeError(`${owner} has no ${what} '${name}'. ${todo}`)

/** Methods that throw when they are called. */
export const refuseMethods = (prototype: object, named: Named): void =>
  add(prototype, ofComponents, (name, todo) => ({
    value(this: unknown) {
      throw missing(named(this), "method", name, todo)
    },
    writable: true
  }))

/** Properties that throw when they are read: some have methods in them. */
export const refuseProperties = (prototype: object, owner: string): void =>
  add(prototype, ofService, (name, todo) => ({
    get() {
      throw missing(owner, "property", name, todo)
    },
    set(value: unknown) {
      Object.defineProperty(this, name, { value, writable: true, configurable: true, enumerable: true })
    }
  }))
