// The curl commands of a document as requests, each with the answer that the comment below it shows.
import { readFileSync } from "node:fs"
import { join } from "node:path"

export interface Command {
  readonly text: string
  readonly path: string
  readonly init: RequestInit
  /** The comment `# 201 {"id": "support"}`: a status, and fields of the answer. */
  readonly shown: { readonly status: number; readonly fields: unknown } | undefined
}

export const read = (name: string): string => readFileSync(join(import.meta.dirname, "../../../../docs", name), "utf8")

/** Words, of which those in single quotes may have spaces. */
const wordsOf = (command: string): ReadonlyArray<string> =>
  (command.match(/(?:'[^']*'|[^\s'])+/g) ?? []).map((word) => word.replaceAll("'", ""))

const requestOf = (text: string): Pick<Command, "init" | "path"> => {
  const [, ...words] = wordsOf(text)
  const form = new URLSearchParams()
  let [method, path, body]: [string | undefined, string, string | undefined] = [undefined, "", undefined]
  const headers: Record<string, string> = {}
  for (let at = 0; at < words.length; at++) {
    const [word = "", value = ""] = [words[at], words[at + 1]]
    if (!word.startsWith("-")) {
      path = word.replace(/^localhost:7777/, "")
      continue
    }
    at++
    const [, key = "", rest = ""] = /^([^=:]+)[=:] ?([^]*)$/.exec(value) ?? []
    if (word === "-X") method = value
    else if (word === "-H") headers[key] = rest
    else if (word === "-d") body = value
    else if (word === "-F") form.append(key, rest)
    else throw new Error(`The document has an unknown option of curl: ${word}`)
  }
  const sent = form.size > 0 ? form : body
  return { path, init: { method: method ?? (sent === undefined ? "GET" : "POST"), headers, body: sent ?? null } }
}

const shownIn = (comment: string | undefined): Command["shown"] => {
  const [, status, fields] = /^# (\d{3})(?: (\{.*\}))?$/.exec(comment ?? "") ?? []
  return status === undefined
    ? undefined
    : { status: Number(status), fields: fields === undefined ? {} : JSON.parse(fields) }
}

/** A command ends with its line, unless a quote or a backslash continues it. */
const command = /^curl (?:[^'\n\\]|\\\n|'[^']*')*/gm

export const commandsOf = (document: string): ReadonlyArray<Command> =>
  [...document.matchAll(/^```sh\n([^]*?)^```$/gm)].flatMap(([, block = ""]) =>
    [...block.matchAll(command)].map((match) => {
      const text = match[0].replaceAll("\\\n", " ")
      const [next] = block.slice(match.index + match[0].length + 1).split("\n")
      return { text, ...requestOf(text), shown: shownIn(next) }
    })
  )
