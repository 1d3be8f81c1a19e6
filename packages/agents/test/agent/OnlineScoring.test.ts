// Which runs of an agent are rated after their end, and which options are refused.
import { assert, describe, it } from "@effect/vitest"
import * as OnlineScoring from "@svc-runtime/agents/agent/define/OnlineScoring"
import type { AgentCommand } from "@svc-runtime/agents/agent/execute/AgentCommand"
import * as RunOptions from "@svc-runtime/agents/runService/RunOptions"
import * as Agent from "@svc-runtime/features/Agent"
import { runId, sessionId } from "@svc-runtime/test-support/suites/Samples"
import { Effect } from "effect"

const scorers = [{ type: "contains", texts: ["Paris"] }] as const

const command = (options: Partial<OnlineScoring.ScoringOptions>, fields: Partial<AgentCommand> = {}): AgentCommand => ({
  ...RunOptions.defaults,
  agent: Agent.make({ id: "assistant", onlineScoring: { scorers, sampleRate: 1, ...options } }),
  run_id: runId(),
  session_id: sessionId(),
  user_id: undefined,
  isolated: false,
  input: { input_content: "The capital?" },
  ...fields
})

const after = (given: AgentCommand) => OnlineScoring.after(given, given.agent.onlineScoring)

const count = (given: AgentCommand) => Effect.map(after(given), (jobs) => jobs.length)

describe("a run of an agent with onlineScoring", () => {
  it.effect("a sampled run has one job, with its scorers and an id of the run", () =>
    Effect.gen(function*() {
      const given = command({})
      const [job] = yield* after(given)
      assert.deepInclude(job as object, {
        id: `online_scoring:${given.run_id}`,
        kind: "online_scoring",
        key: given.run_id,
        perDay: 1000
      })
      assert.deepInclude(job?.payload as object, { scorers: [{ type: "contains", texts: ["Paris"] }] })
    }))

  it.effect("runs that are not sampled, and runs of evaluations, have none", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* count(command({ sampleRate: 0 })), 0)
      assert.strictEqual(yield* count(command({}, { evaluation: true })), 0)
    }))

  it.effect("no run is rated with a limit of 0, and another limit goes with the job", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* count(command({ maxPerDay: 0 })), 0)
      assert.strictEqual((yield* after(command({ maxPerDay: 2 })))[0]?.perDay, 2)
    }))
})

describe("the option onlineScoring", () => {
  it("scorers that need an expected output, names given twice, wrong shares and wrong limits are refused", () => {
    const refuse = (options: Partial<OnlineScoring.ScoringOptions>, text: RegExp) =>
      assert.throws(() => command(options), text)
    const expecting = "compares with what an item expects, which a live run does not have"
    for (const type of ["exact", "similarity", "tool_trajectory"] as const) {
      // @ts-expect-error -- it compares with what an item expects
      refuse({ scorers: [{ type }] }, new RegExp(`the scorer '${type}' of onlineScoring ${expecting}`))
    }
    // @ts-expect-error -- it has no texts
    refuse({ scorers: [{ type: "contains" }] }, /the scorer 'contains' of onlineScoring needs 'texts'/)
    const judge = { type: "judge", name: "polite" } as const
    // @ts-expect-error -- it has no criteria
    refuse({ scorers: [judge] }, /the scorer 'polite' of onlineScoring needs 'criteria'/)
    refuse({ scorers: [...scorers, ...scorers] }, /two scorers of onlineScoring have the name 'contains'/)
    refuse({ scorers: [{ type: "contains", texts: [] }] }, /onlineScoring.scorers/)
    refuse({ maxPerDay: -1 }, /onlineScoring.maxPerDay must be a whole number of at least 0/)
    refuse({ sampleRate: 1.5 }, /onlineScoring.sampleRate is not from 0 to 1/)
  })
})
