// Pages of errors, one for each code: docs/errors, and the data of `svc explain`. `npm run node -- scripts/errors.ts`
// writes them, and check-docs.ts refuses files that differ. The sentences of a page are read from the sources.
import { globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { codes as oauthCodes } from "../packages/auth/src/oauth/OAuthError.ts"
import { kinds as a2aKinds } from "../packages/protocols/src/a2a/A2aError.ts"
import { oauth, responseOfStatus, responses, runs, starts, statuses } from "./Explanations.ts"
import * as Sentences from "./Sentences.ts"

const root = join(import.meta.dirname, "..")
const folder = "docs/errors"
const data = "packages/cli/src/explain/explanations.json"

export interface Explained {
  readonly code: string
  readonly kind: "response" | "run" | "start" | "a2a" | "oauth"
  readonly cause: string
  readonly todo: string
  readonly page: string
  readonly messages: ReadonlyArray<string>
}

const files = globSync("packages/{api,auth,agents,domain,engine,features,http,models,postgres,server}/src/**/*.ts", {
  cwd: root
}).map((path) => path.replaceAll("\\", "/")).filter((path) => !path.includes("/test/")).toSorted()
  .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }))

const literal = /"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/.source
const literals = `((?:${literal})(?:\\s*\\+\\s*(?:${literal}))*)`

/** The sentence of texts and templates that are joined, with `…` in the place of what is inserted. */
const sentenceOf = (code: string): string => {
  let text = Array.from(code.matchAll(new RegExp(literal, "g")), ([part]) => part.slice(1, -1)).join("")
  for (let before = ""; before !== text;) {
    before = text
    text = text.replaceAll(/\$\{[^{}]*\}/g, "…")
  }
  return text.replaceAll(/\\(.)/g, "$1").replaceAll(/\s+/g, " ").trim()
}

/** Whether it has some words of its own. */
const isSentence = (text: string) =>
  /^[\w`'…]/.test(text) && text.replaceAll("…", "").includes(" ") && text.replaceAll(/[^a-z]/gi, "").length >= 12 &&
  !text.includes("${") && !text.endsWith(" to")

/** What matches the pattern, whose last group is the text. The others select. */
const found = (pattern: string, isIn = (_: string) => true): ReadonlyArray<ReadonlyArray<string>> =>
  files.filter(({ path }) => isIn(path)).flatMap(({ text }) =>
    Array.from(text.matchAll(new RegExp(pattern, "g")), ([, ...groups]) => [
      ...groups.slice(0, -1),
      sentenceOf(groups.at(-1) ?? "")
    ])
  ).filter((groups) => isSentence(groups.at(-1) ?? ""))

const functions: Readonly<Record<string, keyof typeof responses>> = {
  badRequest: "BAD_REQUEST",
  unauthenticated: "UNAUTHENTICATED",
  forbidden: "FORBIDDEN",
  notFound: "NOT_FOUND",
  requestTimeout: "BAD_REQUEST",
  conflict: "CONFLICT",
  payloadTooLarge: "PAYLOAD_TOO_LARGE",
  unsupportedMediaType: "BAD_REQUEST",
  tooManyRequests: "TOO_MANY_REQUESTS",
  unavailable: "SERVICE_UNAVAILABLE"
}

/** Files whose sentences about settings stop a start. */
const isSetting = (path: string) => !/\/(?:postgres|engine|features|models)\/|StartupLog|startFailure/.test(path)

/** Each code with a sentence of the sources. */
const sentences: ReadonlyArray<readonly [code: string, sentence: string]> = [
  ...found(`\\b(${Object.keys(functions).join("|")})\\(\\s*${literals}`)
    .map(([name = "", text = ""]) => [functions[name] ?? "", text] as const),
  ...found(`\\binvalidValue\\([^()]*?\\],\\s*${literals}`).map(([text = ""]) => ["VALIDATION_ERROR", text] as const),
  ...found(`errorResponse\\(\\s*\\d+,\\s*"(\\w+)",\\s*${literals}`).map(([code = "", text = ""]) =>
    [code, text] as const
  ),
  ...found(`(?<!log\\w+\\(\\s*)(?=["\`](?:HOST=|A setting cannot|[A-Z]+(?:_[A-Z]+)+[ =]))${literals}`, isSetting)
    .map(([text = ""]) => [text.startsWith("JWT_") ? "KeysUnusable" : "InvalidConfig", text] as const),
  ...found(`new InvalidConfig\\(\\{\\s*message: ${literals}`).map(([text = ""]) => ["InvalidConfig", text] as const),
  ...found(`new Mistake\\(\\s*${literals}`).map(([text = ""]) => ["Mistake", text] as const),
  // what the platform throws, where nothing says it in the words of the service, as in tests
  ["Mistake", "… is not a constructor"],
  ...found(`case "(E[A-Z_]+)":\\s*return ${literals}`).map(([code = "", text = ""]) => [code, text] as const),
  ...found(`TaggedError<\\w+>\\(\\)\\("(\\w+)"[^]{0,600}?override get message\\(\\)[^{]*\\{\\s*return ${literals}`)
    .map(([code = "", text = ""]) => [code, text] as const),
  ...found(`\\bdescribe\\(\\s*${literals}`, (path) => path.includes("/models/")).map(([text = ""]) =>
    ["model_provider_error", text] as const
  ),
  ...found(`error_type: "(\\w+)",?\\s*message: ${literals}`).map(([code = "", text = ""]) => [code, text] as const),
  ...files.flatMap(({ text }) =>
    Array.from(
      text.matchAll(new RegExp(`message: ${literals},\\s*error_type: "(\\w+)"`, "g")),
      ([, sentence = "", code = ""]) => [code, sentenceOf(sentence)] as const
    )
  )
]

const messagesOf = (code: string): ReadonlyArray<string> =>
  [...new Set(sentences.flatMap(([other, text]) => other === code ? [text] : []))].toSorted()

export const explanations: ReadonlyArray<Explained> = [
  ...Object.entries({ response: responses, run: runs, start: starts }).flatMap(([kind, entries]) =>
    Object.entries(entries).map(([code, entry]) => ({
      code,
      kind: kind as Explained["kind"],
      ...entry,
      messages: messagesOf(code)
    }))
  ),
  ...Object.entries(a2aKinds).filter(([code]) => !(code in responses)).map(([code, { http, message }]): Explained => {
    const response = responseOfStatus[http] ?? "BAD_REQUEST"
    const { cause, todo } = responses[response]
    return { code, kind: "a2a", cause: `${message}. ${cause}`, todo, page: "guides/a2a.md", messages: [] }
  }),
  ...oauthCodes.map((code): Explained => ({
    code,
    kind: "oauth",
    cause: oauth[code],
    todo: "`error_description` of the response has the details. Sign in again, or register the client again.",
    page: "guides/mcp.md",
    messages: []
  }))
]

const wrapped = (text: string, indent = ""): string => {
  const lines: Array<string> = []
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + word.length < 120) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(last === undefined ? word : indent + word)
  }
  return lines.join("\n")
}

const titles: Readonly<Record<Explained["kind"], string>> = {
  response: "Responses with an `error_code`",
  run: "Failed runs: `error_type`",
  start: "A service that does not start",
  a2a: "Errors of A2A",
  oauth: "Errors of the authorization server of MCP"
}

const where: Readonly<Record<Explained["kind"], string>> = {
  response: "is the `error_code` of a response.",
  run: "is the `error_type` of a failed run.",
  start: "is why a service does not start. The last line of the log has the reason.",
  a2a: "is the reason of an error of A2A.",
  oauth: "is the `error` of a response of the authorization server of MCP."
}

/** Some disks do not tell capital letters from small ones. */
const fileOf = ({ code, kind }: Explained) => kind === "oauth" ? `oauth-${code}.md` : `${code}.md`

const statusOf = (code: string): string => Object.entries(statuses).find(([, response]) => response === code)?.[0] ?? ""

const pageOf = ({ cause, code, kind, messages, page, todo }: Explained): string =>
  [
    `# ${code}`,
    wrapped(`\`${code}\` ${where[kind]}${statusOf(code) === "" ? "" : ` Its status is HTTP ${statusOf(code)}.`}`),
    "## Cause",
    wrapped(cause),
    "## What to do",
    wrapped(todo),
    wrapped(`[More](../${page}). In the terminal: \`svc explain ${code}\`. [All errors](README.md).`),
    ...(messages.length === 0 ? [] : [
      "## Messages",
      "`…` is what the message names.",
      `\`\`\`text\n${messages.join("\n")}\n\`\`\``
    ])
  ].join("\n\n") + "\n"

/** Pages that are about no part of the service. */
const isGeneral = (page: string): boolean =>
  /^(?:reference\/(?:endpoints|fields)|guides\/(?:agents|sessions)|operate\/running|concepts\/run)\.md$/.test(page)

/** The response to an error of the service that a request has met. */
const responseOf = (error: string): keyof typeof responses | undefined => {
  if (error === "ModelNotFound") return undefined
  if (error === "LimitReached") return "TOO_MANY_REQUESTS"
  return error.endsWith("NotFound") ? "NOT_FOUND" : error.endsWith("Forbidden") ? "FORBIDDEN" : undefined
}

/** The texts of all errors by page and code. A code of many parts has the page of the part. */
const byPage = (): Readonly<Record<string, Readonly<Record<string, ReadonlyArray<string>>>>> => {
  const pageOfCode = new Map(explanations.map(({ code, page }) => [code, page]))
  const known = new Map(explanations.flatMap(({ code, messages }) => messages.map((text) => [text, code] as const)))
  const pages: Record<string, Record<string, Array<string>>> = {}
  const add = (text: string, code: string, page: string) => {
    const own = pageOfCode.get(code) ?? page
    const texts = (pages[isGeneral(own) ? page : own] ??= {})[code] ??= []
    texts.push(text)
  }
  for (const { code = "", page, text } of Sentences.sentences()) {
    add(text, known.get(text) ?? responseOf(code) ?? code, page)
    known.delete(text)
  }
  for (const [text, code] of known) add(text, code, pageOfCode.get(code) ?? "")
  return pages
}

const outputs: ReadonlyMap<string, string> = new Map([
  [
    data,
    `${
      JSON.stringify(
        { codes: explanations.map(({ messages: _, ...each }) => each), statuses, sentences: byPage() },
        null,
        1
      )
    }\n`
  ],
  [
    `${folder}/README.md`,
    [
      "# Errors",
      wrapped(
        "A page for each code of an error: the cause, what to do, and the messages that have it. `svc explain CODE` shows " +
          "the same without a network, and `svc explain \"TEXT\"` searches the messages."
      ),
      ...Object.entries(titles).map(([kind, title]) =>
        [
          `## ${title}`,
          explanations.filter((each) => each.kind === kind)
            .map((each) => wrapped(`- [${each.code}](${fileOf(each)}): ${each.cause}`, "  ")).join("\n")
        ].join("\n\n")
      )
    ].join("\n\n") + "\n"
  ],
  ...explanations.map((each) => [`${folder}/${fileOf(each)}`, pageOf(each)] as const)
])

/** Files that are missing, that differ, or that no code has any more. */
export const staleErrors = (): ReadonlyArray<string> => {
  const there = [data, ...readdirSync(join(root, folder)).map((file) => `${folder}/${file}`)]
  return [
    ...there.filter((path) => readFileSync(join(root, path), "utf8") !== outputs.get(path)),
    ...[...outputs.keys()].filter((path) => !there.includes(path))
  ].map((path) => `${path} is not current: npm run node -- scripts/errors.ts`)
}

if (import.meta.main) {
  rmSync(join(root, folder), { recursive: true, force: true })
  for (const path of [folder, join(data, "..")]) mkdirSync(join(root, path), { recursive: true })
  for (const [path, text] of outputs) writeFileSync(join(root, path), text)
}
