// A model of nodes that share a database and one run. It visits every state that heartbeats, takeovers, outages,
// deaths, freezes, lost replies, jumps of the database's clock and lost transactions can lead to, in any order. The
// decisions are those of the engine: `judge`, `isContinuous` and the times of a heartbeat.
//
// Time passes in ticks, of which NODE_TIMEOUT has four and the interval of heartbeats one.
import * as Tier from "@svc-runtime/test-support/Tier"
import { assert, describe, it } from "vitest"
import { takeoverAfter, trustedFor } from "../../src/node/NodeHeartbeat.ts"
import { isContinuous, judge, maxGapOf } from "../../src/run/leases/TakeoverRules.ts"

const nodeTimeout = 4

/** Ages are counted up to here: older is the same. */
const oldest = 6

/** A living node that alone does not reach the database for so many ticks is not lost: its connections return late. */
const allowedDelay = 2

type Status = "absent" | "living" | "frozen" | "dead"

interface Node {
  readonly status: Status
  /** Ticks since its last stored heartbeat, by the clock of the database. */
  readonly silentFor: number
  readonly steadyFor: number
  /** Ticks since its last heartbeat with a reply, by its own clock. */
  readonly age: number
  /** It executes the run, and does not know whether another node has acquired it. */
  readonly executes: boolean
  /** It has judged the holder to be dead, who has sent no heartbeat since. */
  readonly hasJudged: boolean
  /** Ticks since its last heartbeat in which another node has stored one. */
  readonly missed: number
}

interface State {
  readonly nodes: ReadonlyArray<Node>
  readonly holder: number
  readonly jumps: number
}

interface Options {
  readonly nodes: number
  /** How often the clock of the database jumps, or its last transactions are lost. */
  readonly jumps: number
}

const absent: Node = {
  status: "absent",
  silentFor: oldest,
  steadyFor: 0,
  age: oldest,
  executes: false,
  hasJudged: false,
  missed: 0
}
const joined: Node = { ...absent, status: "living", silentFor: 0, age: 0 }

const bounded = (ticks: number) => Math.max(-oldest, Math.min(oldest, ticks))

const withNode = (state: State, index: number, changes: Partial<Node>): State => ({
  ...state,
  nodes: state.nodes.map((node, at) => at === index ? { ...node, ...changes } : node)
})

/** Of a heartbeat, at the end of a tick. */
type Outcome = "none" | "stored" | "unheard"

const beaten = (node: Node, outcome: Outcome, isHolder: boolean): Node => {
  const age = bounded(node.age + 1)
  const [silentFor, steadyFor] = [bounded(node.silentFor + 1), bounded(node.steadyFor + 1)]
  if (outcome === "none") return { ...node, age, silentFor, steadyFor }
  const stored = {
    ...node,
    age,
    silentFor: 0,
    steadyFor: isContinuous(silentFor, maxGapOf(nodeTimeout)) ? steadyFor : 0
  }
  if (outcome === "unheard") return stored
  // after a gap it asks the database who has the run
  const hasGap = age >= trustedFor(nodeTimeout)
  return { ...stored, age: 0, executes: hasGap ? node.executes && isHolder : node.executes }
}

/** A lost reply makes a difference only to a node that executes the run. */
const outcomesOf = ({ executes, status }: Node): ReadonlyArray<Outcome> =>
  status !== "living" ? ["none"] : executes ? ["none", "stored", "unheard"] : ["none", "stored"]

const combinations = (nodes: ReadonlyArray<Node>): ReadonlyArray<ReadonlyArray<Outcome>> =>
  nodes.reduce<ReadonlyArray<ReadonlyArray<Outcome>>>(
    (all, node) => all.flatMap((outcomes) => outcomesOf(node).map((outcome) => [...outcomes, outcome])),
    [[]]
  )

/** An outage of the database is a tick without heartbeats. */
const tick = (state: State, outcomes: ReadonlyArray<Outcome>): State => {
  const { holder } = state
  const hasHolder = outcomes[holder] !== "none"
  const isAnyStored = outcomes.some((outcome) => outcome !== "none")
  return {
    ...state,
    nodes: state.nodes.map((node, index) => {
      const missed = Math.min(allowedDelay + 1, node.missed + (isAnyStored ? 1 : 0))
      const next = {
        ...beaten(node, outcomes[index]!, index === holder),
        missed: outcomes[index] === "none" ? missed : 0
      }
      return hasHolder ? { ...next, hasJudged: false } : next
    })
  }
}

/** What one node reads of all. */
const knownTo = ({ nodes }: State) =>
  nodes.flatMap(({ silentFor, status, steadyFor }, index) =>
    status === "absent" ? [] : [{ node: String(index), process: null, seenAt: "", silentFor, steadyFor }]
  )

const judged = (state: State, index: number): State => {
  const { dead } = judge(knownTo(state), String(index), nodeTimeout)
  return dead.some(({ node }) => node === String(state.holder)) ? withNode(state, index, { hasJudged: true }) : state
}

const taken = (state: State, index: number): State => ({
  ...withNode(state, index, { executes: true }),
  nodes: withNode(state, index, { executes: true }).nodes.map((node) => ({ ...node, hasJudged: false })),
  holder: index
})

const jumped = (state: State, ticks: number): State => ({
  ...state,
  jumps: state.jumps + 1,
  nodes: state.nodes.map((node) => ({
    ...node,
    silentFor: bounded(node.silentFor + ticks),
    steadyFor: bounded(node.steadyFor + ticks)
  }))
})

/** The database has lost what was stored in so many ticks. A heartbeat before them was up to a tick earlier. */
const rewound = (state: State, ticks: number): State => ({
  ...state,
  jumps: state.jumps + 1,
  nodes: state.nodes.map((node, index) => ({
    ...node,
    silentFor: Math.max(node.silentFor, bounded(ticks + (index === state.holder ? 1 : 0)))
  }))
})

interface Step {
  readonly name: string
  readonly next: State
}

const stepsOf = (state: State, options: Options): ReadonlyArray<Step> => {
  const steps: Array<Step> = combinations(state.nodes).map((outcomes) => ({
    name: `tick ${outcomes.join(" ")}`,
    next: tick(state, outcomes)
  }))
  for (const [index, node] of state.nodes.entries()) {
    const add = (name: string, next: State) => steps.push({ name: `${name} ${index}`, next })
    const become = (status: Status) => add(status, withNode(state, index, { status }))
    if (node.status === "absent") add("joins", withNode(state, index, joined))
    if (node.status === "frozen") become("living")
    if (node.status !== "living") continue
    become("frozen")
    become("dead")
    if (index === state.holder) continue
    if (node.hasJudged) add("takes over", taken(state, index))
    else add("judges", judged(state, index))
  }
  if (state.jumps < options.jumps) {
    for (const ticks of [-oldest, -2, -1, 1, 2, oldest]) {
      steps.push({ name: `jump ${ticks}`, next: jumped(state, ticks) })
    }
    for (const ticks of [1, 2, 4, oldest]) steps.push({ name: `rewind ${ticks}`, next: rewound(state, ticks) })
  }
  return steps
}

/** Without what makes no difference any more. */
const reduced = (state: State): State => ({
  ...state,
  nodes: state.nodes.map((node, index) => {
    if (index === state.holder) return node.status === "dead" ? { ...node, age: oldest, executes: false } : node
    if (node.status === "dead") return { ...absent, status: "dead" }
    const age = node.executes ? node.age : oldest
    if (node.hasJudged) return { ...node, age }
    // its own silence matters to it alone, and only whether it is a gap
    const silentFor = isContinuous(node.silentFor, maxGapOf(nodeTimeout)) ? node.silentFor : oldest
    return {
      ...node,
      age,
      missed: 0,
      silentFor,
      steadyFor: silentFor === oldest ? 0 : Math.min(node.steadyFor, nodeTimeout)
    }
  })
})

const keyOf = ({ holder, jumps, nodes }: State): string =>
  `${holder}${jumps}${
    nodes.map(({ age, executes, hasJudged, missed, silentFor, status, steadyFor }) =>
      `${status[0]}${missed}${age},${silentFor},${Math.min(steadyFor, nodeTimeout)}${executes ? "e" : "-"}${
        hasJudged ? "j" : "-"
      }`
    ).join("")
  }`

interface Visited {
  readonly state: State
  readonly from: Visited | undefined
  readonly by: string
}

const wayTo = (visited: Visited): string => {
  const names: Array<string> = []
  for (let at: Visited | undefined = visited; at !== undefined; at = at.from) names.unshift(at.by)
  return names.join("; ")
}

const explore = (
  options: Options,
  check: (step: Step, before: State) => string | undefined
): ReadonlyArray<Visited> => {
  const nodes = Array.from({ length: options.nodes }, (_, index) => index < 2 ? joined : absent)
  const initial = withNode({ nodes, holder: 0, jumps: 0 }, 0, { executes: true })
  const known = new Set([keyOf(initial)])
  const visited: Array<Visited> = [{ state: initial, from: undefined, by: "start" }]
  // it grows meanwhile
  for (const each of visited) {
    for (const step of stepsOf(each.state, options)) {
      const next = { state: reduced(step.next), from: each, by: step.name }
      const problem = check(step, each.state)
      if (problem !== undefined) assert.fail(`${problem}: ${wayTo(next)}`)
      const key = keyOf(next.state)
      if (known.has(key)) continue
      known.add(key)
      visited.push(next)
    }
  }
  return visited
}

const problemOf = ({ name, next }: Step, before: State): string | undefined => {
  const holder = before.nodes[before.holder]!
  if (name.startsWith("takes over") && holder.status !== "dead" && holder.missed <= allowedDelay) {
    return "a run was taken from a living node"
  }
  const acting = next.nodes.findIndex(({ age, executes, status }) =>
    status === "living" && executes && age < trustedFor(nodeTimeout)
  )
  return acting >= 0 && acting !== next.holder ? `node ${acting} acts in a run that it has lost` : undefined
}

/** The ticks after which the run of a dead node is found, when the database replies and the other nodes live. */
const found = (state: State): number => {
  let current = state
  for (let ticks = 1;; ticks++) {
    current = tick(current, current.nodes.map(({ status }) => status === "living" ? "stored" : "none"))
    for (const [index, { status }] of current.nodes.entries()) {
      if (status === "living" && judged(current, index).nodes[index]?.hasJudged === true) return ticks
    }
    if (ticks > 100) return Infinity
  }
}

const isLost = ({ holder, nodes }: State) =>
  nodes[holder]?.status === "dead" && nodes.some(({ status }) => status === "living")

describe("every order of heartbeats, takeovers, outages, deaths and returns", () => {
  for (const options of [{ nodes: 2, jumps: 0 }, { nodes: 2, jumps: 1 }, { nodes: 3, jumps: 0 }]) {
    // three nodes have a million states
    it.runIf(options.nodes + options.jumps < 3 || Tier.isWhole)(
      `no living node loses a run, no node acts in a lost run, and a dead node is found in time (${options.nodes} nodes, ${options.jumps} jumps of the clock)`,
      () => {
        const visited = explore(options, problemOf)
        const latest = visited.reduce(
          (most, { state }) => isLost(state) ? Math.max(most, found(state)) : most,
          0
        )
        process.stdout.write(`${visited.length} states of ${options.nodes} nodes; found after ${latest} ticks\n`)
        // the first heartbeat after the return, NODE_TIMEOUT after it, and what a clock is set back
        assert.isAtMost(latest, nodeTimeout + 1 + options.jumps * oldest)
      }
    )
  }

  it("a node is taken for dead only after it has stopped trusting its leases", () => {
    assert.isAbove(takeoverAfter(nodeTimeout), trustedFor(nodeTimeout))
  })
})
