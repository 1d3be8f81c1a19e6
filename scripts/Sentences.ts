// The sentences of errors in the sources: texts and templates in a place that makes, throws or returns an error. What a
// template inserts is `…`.
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { type ESTree, parseSync } from "rolldown/utils"

const root = join(import.meta.dirname, "..")

export interface Sentence {
  readonly text: string
  /** The class of the error, if it has one. */
  readonly code: string | undefined
  /** The page of docs about the part of the sources. */
  readonly page: string
}

/** The first one that a path begins with, after `packages/`. */
const pageOf: ReadonlyArray<readonly [path: string, page: string]> = [
  ["cli/", "reference/cli.md"],
  ["testing/", "guides/testing.md"],
  ["client/", "guides/client.md"],
  ["models/", "guides/models.md"],
  ["knowledge/", "guides/knowledge.md"],
  ["auth/", "operate/authorization.md"],
  ["postgres/", "guides/databases.md"],
  ["features/src/components", "guides/components.md"],
  ["features/src/declarations", "guides/declared.md"],
  ["features/src/Declared", "guides/declared.md"],
  ["features/src/evaluation", "guides/evaluations.md"],
  ["features/src/knowledge", "guides/knowledge.md"],
  ["features/src/learning", "guides/memory.md"],
  ["features/src/memory", "guides/memory.md"],
  ["features/src/summaries", "guides/memory.md"],
  ["features/src/metrics", "operate/observability.md"],
  ["features/src/traces", "operate/traces.md"],
  ["features/src/schedules", "guides/schedules.md"],
  ["features/src/taskPush", "guides/a2a.md"],
  ["features/src/vectors", "guides/knowledge.md"],
  ["features/src/webhooks", "guides/webhooks.md"],
  ["agents/src/agent/remote", "guides/a2a.md"],
  ["agents/src/remote", "guides/a2a.md"],
  ["agents/src/agent/execute/hooks", "guides/hooks.md"],
  ["agents/src/agent/define/Hook", "guides/hooks.md"],
  ["agents/src/agent/define/Model", "guides/models.md"],
  ["agents/src/agent/define/OnlineScoring", "guides/evaluations.md"],
  ["agents/src/agent/continue", "guides/pauses.md"],
  ["agents/src/agent", "guides/agents.md"],
  ["agents/src/database", "guides/databases.md"],
  ["agents/src/factory", "guides/factories.md"],
  ["agents/src/guardrail", "guides/hooks.md"],
  ["agents/src/nested", "guides/tools.md"],
  ["agents/src/team", "guides/teams.md"],
  ["agents/src/workflow", "guides/workflows.md"],
  ["agents/", "concepts/run.md"],
  ["engine/src/approval", "guides/approvals.md"],
  ["engine/src/durable", "guides/durable-runs.md"],
  ["engine/src/jobs", "guides/jobs.md"],
  ["engine/src/limits", "operate/limits.md"],
  ["engine/src/session", "guides/sessions.md"],
  ["engine/src/tool", "guides/tools.md"],
  ["engine/src/DatabaseHandle", "guides/databases.md"],
  ["engine/src/userCode", "reference/options.md"],
  ["engine/", "concepts/run.md"],
  ["server/src/a2a", "guides/a2a.md"],
  ["server/src/agui", "guides/agui.md"],
  ["server/src/chat", "guides/chat.md"],
  ["server/src/openai", "guides/openai.md"],
  ["server/src/mcpClient", "guides/tools.md"],
  ["server/src/mcp", "guides/mcp.md"],
  ["server/src/oauth", "guides/mcp.md"],
  ["server/src/routes", "guides/routes.md"],
  ["server/src/toolkit", "guides/tools.md"],
  ["protocols/", "guides/protocols.md"],
  ["http/src/authorization", "operate/authorization.md"],
  ["http/src/config", "reference/settings.md"],
  ["http/src/mcpTool", "guides/mcp.md"],
  ["http/", "reference/fields.md"],
  ["", "operate/running.md"]
]

const fits = /fail|die|mismatch|invalid|reject|refus|forbid|notFound|unauth|conflict|unavail|badRequest|error|problem/i
const named =
  /message|problem|refus|invalid|reason|sentence|detail|failure|hint|error|lost|unusable|missing|reached|without|unknown|taken|^(?:not|no|too|un|needs|cannot)[A-Z]/i
const isNoError =
  /^(description|title|summary|about|instructions|prompt|system|example|examples|annotat\w*|with\w*)$|^log|Log/

const nameOf = (node: unknown): string => {
  if (typeof node !== "object" || node === null || !("type" in node)) return ""
  const each = node as ESTree.Node
  if (each.type === "Identifier") return each.name
  if (each.type === "MemberExpression" && each.property.type === "Identifier") return each.property.name
  if (each.type === "CallExpression") return nameOf(each.callee)
  return ""
}

/** The text of a literal, a template or a sum of these. Undefined: it is something else. */
const textOf = (node: ESTree.Node): string | undefined => {
  if (node.type === "Literal") return typeof node.value === "string" ? node.value : undefined
  if (node.type === "TemplateLiteral") {
    return node.quasis.map(({ value }) => value.cooked ?? "").reduce((text, part, index) => {
      const inserted = node.expressions[index - 1]
      return `${text}${(inserted === undefined ? undefined : textOf(inserted)) ?? "…"}${part}`
    })
  }
  if (node.type === "BinaryExpression" && node.operator === "+") {
    const [left, right] = [textOf(node.left), textOf(node.right)]
    return left === undefined && right === undefined ? undefined : `${left ?? "…"}${right ?? "…"}`
  }
  return undefined
}

const isSentence = (text: string): boolean =>
  text.replaceAll("…", "").trim().includes(" ") && text.replaceAll(/[^a-z]/gi, "").length >= 10 &&
  /[a-z]{3}/.test(text) && !/^[\s/[({<]|\n|^select|^insert|^update/i.test(text)

const childrenOf = (node: object): ReadonlyArray<ESTree.Node> =>
  Object.entries(node).filter(([key]) => key !== "parent").flatMap(([, value]) => [value].flat())
    .filter((value): value is ESTree.Node => typeof value === "object" && value !== null && "type" in value)

interface Place {
  readonly isError: boolean
  readonly code: string | undefined
}

const placeIn = (node: ESTree.Node, place: Place): Place => {
  switch (node.type) {
    case "ThrowStatement":
      return { ...place, isError: true }
    case "ClassDeclaration":
      return node.superClass === null ? place : { isError: place.isError, code: node.id?.name }
    case "NewExpression": {
      const name = nameOf(node.callee)
      if (name === "RegExp" || name === "Set") return { ...place, isError: false }
      return {
        isError: true,
        code: /^(?:Type|Range)?Error$|^UsageError$|^CommandFailed$/.test(name) ? undefined : name
      }
    }
    case "CallExpression": {
      const name = nameOf(node.callee)
      if (isNoError.test(name)) return { ...place, isError: false }
      return name === "mismatch"
        ? { isError: true, code: "Mistake" }
        : { ...place, isError: place.isError || fits.test(name) }
    }
    case "Property": {
      const name = nameOf(node.key)
      if (isNoError.test(name)) return { ...place, isError: false }
      return { ...place, isError: place.isError || named.test(name) }
    }
    case "MethodDefinition":
      return { ...place, isError: place.isError || named.test(nameOf(node.key)) }
    case "VariableDeclarator":
      return { ...place, isError: place.isError || named.test(nameOf(node.id)) }
    default:
      return place
  }
}

/** A table of the names that others have for ours. */
const isNames = (node: ESTree.Node): boolean => node.type === "VariableDeclarator" && nameOf(node.id) === "meanings"

const sentencesIn = (node: ESTree.Node, above: Place, add: (text: string, code: string | undefined) => void): void => {
  if (isNames(node)) return
  const place = placeIn(node, above)
  const text = textOf(node)
  if (text !== undefined) {
    const sentence = text.replaceAll(/…(?:\s*…)+/g, "…").replaceAll(/\s+/g, " ").trim()
    if (place.isError && isSentence(sentence)) add(sentence, place.code)
    return
  }
  for (const child of childrenOf(node)) sentencesIn(child, place, add)
}

export const sentences = (): ReadonlyArray<Sentence> => {
  const found = new Map<string, Sentence>()
  const files = globSync(
    "packages/{agents,auth,cli,client,domain,engine,features,http,knowledge,models,postgres,protocols,server,testing}/src/**/*.ts",
    { cwd: root }
  ).map((path) => path.replaceAll("\\", "/")).filter((path) => !/\/(?:test|generated)\//.test(path)).toSorted()
  for (const path of files) {
    const page = pageOf.find(([begin]) => path.startsWith(`packages/${begin}`))?.[1] ?? ""
    const { program } = parseSync(path, readFileSync(join(root, path), "utf8"))
    // a file with parts of messages: of responses about fields, and of limits
    const code = path.endsWith("/ValidationProblems.ts")
      ? "VALIDATION_ERROR"
      : path.endsWith("/run/RunErrors.ts")
      ? "LimitReached"
      : undefined
    sentencesIn(program, { isError: code === "VALIDATION_ERROR", code }, (text, code) => {
      const known = found.get(text)
      if (known === undefined || known.code === undefined) found.set(text, { text, code, page: known?.page ?? page })
    })
  }
  return [...found.values()].toSorted((one, other) => one.text < other.text ? -1 : 1)
}
