// The rules of a robots.txt (RFC 9309). Patterns are matched without backtracking, because sites write them and the
// main thread matches them.

interface Rule {
  readonly isAllowed: boolean
  readonly pattern: string
}

export type RobotsRules = ReadonlyArray<Rule>

/** Rules that allow nothing. */
export const nothing: RobotsRules = [{ isAllowed: false, pattern: "/" }]

const maxRules = 5000
const maxPattern = 500

interface Group {
  readonly agents: Array<string>
  readonly rules: Array<Rule>
}

/** Consecutive user agents share the rules that follow them. */
const groupsOf = (text: string): ReadonlyArray<Group> => {
  const groups: Array<Group> = []
  for (const line of text.split("\n", 4 * maxRules)) {
    const [, field = "", value = ""] = /^\s*([A-Za-z-]+)\s*:\s*([^#\s]*)/.exec(line.slice(0, 2 * maxPattern)) ?? []
    const name = field.toLowerCase()
    const last = groups.at(-1)
    if (name === "user-agent") {
      if (last === undefined || last.rules.length > 0) groups.push({ agents: [value.toLowerCase()], rules: [] })
      else last.agents.push(value.toLowerCase())
    } else if ((name === "allow" || name === "disallow") && last !== undefined) {
      last.rules.push({ isAllowed: name === "allow" || value === "", pattern: value.slice(0, maxPattern) })
    }
  }
  return groups
}

/** The rules for an agent, else those for all agents. */
export const parse = (text: string, agent: string): RobotsRules => {
  const groups = groupsOf(text)
  const own = groups.filter(({ agents }) => agents.includes(agent))
  return (own.length > 0 ? own : groups.filter(({ agents }) => agents.includes("*")))
    .flatMap(({ rules }) => rules).slice(0, maxRules)
}

/** `*` is anything, `$` the end. The parts between stars are searched from left to right. */
const matches = (pattern: string, path: string): boolean => {
  const isWhole = pattern.endsWith("$")
  const [first = "", ...parts] = (isWhole ? pattern.slice(0, -1) : pattern).split("*")
  if (!path.startsWith(first)) return false
  let place = first.length
  const last = isWhole ? parts.pop() : undefined
  for (const part of parts) {
    const found = path.indexOf(part, place)
    if (found < 0) return false
    place = found + part.length
  }
  if (!isWhole) return true
  return last === undefined ? place === path.length : path.length - last.length >= place && path.endsWith(last)
}

/** The longest rule that matches decides; of two of the same length the one that allows. */
export const isAllowed = (rules: RobotsRules, { pathname, search }: URL): boolean => {
  const path = pathname + search
  let best: Rule | undefined
  for (const rule of rules) {
    const length = rule.pattern.length - (best?.pattern.length ?? -1)
    if (length < 0 || (length === 0 && !rule.isAllowed)) continue
    if (matches(rule.pattern, path)) best = rule
  }
  return best?.isAllowed ?? true
}
