// The commands of curl in the shell blocks of a document, with the options that documents use.
import type * as Json from "@svc-runtime/domain/Json"

export interface CurlCommand {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  /** Names and values; a value that begins with `@` is a file. */
  readonly form: ReadonlyArray<readonly [string, string]>
  /** The answer that the comment below shows: a status, and fields of the JSON, as in `# 201 {"id": "host"}`. */
  readonly shown: { readonly status: number; readonly fields: Json.Value } | undefined
}

interface Words {
  readonly words: Array<string>
  comment: string
}

/**
 * The words of each command, and the comment on the line below. A line that ends inside of quotes or with a backslash
 * continues.
 */
const commandsIn = (script: string): ReadonlyArray<Words> => {
  const commands: Array<Words> = [{ words: [], comment: "" }]
  let word: string | undefined
  const endWord = () => {
    if (word !== undefined) commands.at(-1)!.words.push(word)
    word = undefined
  }
  const tokens = /\\\n|'([^']*)'|"([^"]*)"|#[^\n]*|\n|[ \t]+|[^\s'"\\#]+|[\s\S]/g
  for (const [token, single, double] of script.matchAll(tokens)) {
    if (token === "\\\n") continue
    if (single !== undefined || double !== undefined) word = (word ?? "") + (single ?? double)
    else if (token === "\n") {
      endWord()
      commands.push({ words: [], comment: "" })
    } else if (/^[ \t]/.test(token)) endWord()
    else if (token.startsWith("#") && word === undefined) {
      const above = commands.at(-2)
      if (above !== undefined && commands.at(-1)!.words.length === 0) above.comment = token
    } else word = (word ?? "") + token
  }
  endWord()
  return commands
}

const shownIn = (comment: string): CurlCommand["shown"] => {
  const [, status, fields = "{}"] = /^# (\d{3})(?: (\{.*\}))?$/.exec(comment) ?? []
  return status === undefined ? undefined : { status: Number(status), fields: JSON.parse(fields) }
}

const parse = (words: ReadonlyArray<string>, comment: string): CurlCommand => {
  let [method, url, body]: [string | undefined, string, string | undefined] = [undefined, "", undefined]
  const headers: Record<string, string> = {}
  const form: Array<readonly [string, string]> = []
  const rest = words.values()
  const next = () => String(rest.next().value)
  const pair = (text: string, separator: string) => {
    const at = text.indexOf(separator)
    return [text.slice(0, at), text.slice(at + separator.length)] as const
  }
  for (const word of rest) {
    if (word === ">") next()
    else if (word === "-X") method = next()
    else if (word === "-d") body = next()
    else if (word === "-F") form.push(pair(next(), "="))
    else if (word === "-H") Object.assign(headers, Object.fromEntries([pair(next(), ": ")]))
    else if (word === "--json") {
      body = next()
      headers["content-type"] = "application/json"
    } else if (!word.startsWith("-")) url = word
  }
  const shown = shownIn(comment)
  return {
    method: method ?? (body === undefined && form.length === 0 ? "GET" : "POST"),
    url,
    headers,
    body,
    form,
    shown
  }
}

export const curlCommandsIn = (document: string): ReadonlyArray<CurlCommand> =>
  Array.from(document.matchAll(/^```sh\n([\s\S]*?)^```$/gm), ([, script]) => commandsIn(script!))
    .flat()
    .flatMap(({ comment, words: [name, ...words] }) => name === "curl" ? [parse(words, comment)] : [])
