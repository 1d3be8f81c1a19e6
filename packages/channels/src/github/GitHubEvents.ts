// What GitHub sends, as messages of a channel. Only the body is signed, so that nothing of the headers counts: what
// happened is in the body, and the same body has the same id.
import type * as Json from "@svc-runtime/domain/Json"
import { Option, Schema } from "effect"
import type { Message } from "../Adapter.ts"

const Id = Schema.Int.check(Schema.isGreaterThan(0))

const Login = Schema.String.check(Schema.isPattern(/^[\w-]{1,100}(?:\[bot\])?$/))

const Text = Schema.optionalKey(Schema.NullOr(Schema.String))

const User = Schema.Struct({ id: Id, login: Login, type: Schema.String })

const Repository = Schema.Struct({
  full_name: Schema.String.check(Schema.isPattern(/^[\w-]{1,100}\/(?!\.{1,2}$)[\w.-]{1,100}$/)),
  private: Schema.optionalKey(Schema.Boolean)
})

const Issue = Schema.Struct({
  id: Id,
  number: Id,
  title: Schema.String,
  body: Text,
  created_at: Schema.String,
  user: Schema.NullOr(User)
})

const Comment = Schema.Struct({
  id: Id,
  body: Schema.String,
  created_at: Schema.String,
  user: Schema.NullOr(User),
  in_reply_to_id: Schema.optionalKey(Id),
  path: Schema.optionalKey(Schema.String),
  diff_hunk: Schema.optionalKey(Schema.String)
})

const Review = Schema.Struct({ id: Id, body: Text, submitted_at: Text, user: Schema.NullOr(User) })

const CheckRun = Schema.Struct({
  id: Id,
  name: Schema.String,
  conclusion: Text,
  completed_at: Text,
  details_url: Text,
  app: Schema.NullOr(Schema.Struct({ id: Id })),
  output: Schema.Struct({ title: Text, summary: Text }),
  pull_requests: Schema.Array(Schema.Struct({ number: Id }))
})

const base = {
  installation: Schema.Struct({ id: Id }),
  repository: Repository,
  sender: User
}

const Commented = Schema.Struct({ ...base, action: Schema.Literal("created"), issue: Issue, comment: Comment })

const CodeCommented = Schema.Struct({
  ...base,
  action: Schema.Literal("created"),
  pull_request: Issue,
  comment: Comment
})

const Reviewed = Schema.Struct({ ...base, action: Schema.Literal("submitted"), pull_request: Issue, review: Review })

const Opened = Schema.Struct({ ...base, action: Schema.Literal("opened"), issue: Issue })

const PullRequested = Schema.Struct({ ...base, action: Schema.Literal("opened"), pull_request: Issue })

const Checked = Schema.Struct({ ...base, action: Schema.Literal("completed"), check_run: CheckRun })

const decodeCommented = Schema.decodeUnknownOption(Commented)
const decodeCodeCommented = Schema.decodeUnknownOption(CodeCommented)
const decodeReviewed = Schema.decodeUnknownOption(Reviewed)
const decodeOpened = Schema.decodeUnknownOption(Opened)
const decodePullRequested = Schema.decodeUnknownOption(PullRequested)
const decodeChecked = Schema.decodeUnknownOption(Checked)

export interface Reading {
  /** The name of the app in addresses, which people mention. */
  readonly slug: string
  readonly appId: string
  /** Whether checks of pull requests that fail are messages. */
  readonly readsChecks: boolean
  /** Milliseconds since 1970. */
  readonly at: number
}

/** Where an answer is written. A comment on lines of code has a thread of its own. */
export interface Place extends Json.Object {
  readonly installation: number
  readonly repository: string
  readonly number: number
}

/** GitHub sends an event again for three days, when people ask for it. */
const maxAge = 3 * 24 * 60 * 60 * 1000

const [maxTitle, maxContext] = [200, 2000]

const cut = (text: string, max: number): string =>
  text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`

const quoted = (text: string): string =>
  cut(text.trim(), maxContext).split("\n").map((line) => `> ${line}`.trimEnd()).join("\n")

/** What a person writes to the app, without its mention. Undefined: it is not mentioned. */
const mentioned = (text: string, slug: string): string | undefined => {
  const mention = new RegExp(`(?<![\\w@/.-])@${slug}(?:\\[bot\\])?(?![\\w/-])`, "gi")
  // what is quoted or code mentions no people on GitHub either
  const outside = text.replaceAll(/^ {0,3}(`{3,}|~{3,})[^]*?(?:^ {0,3}\1|$(?![^]))|`[^`\n]*`|^ {0,3}>.*$/gm, "")
  return mention.test(outside) ? text.replaceAll(mention, "").trim() : undefined
}

interface Found {
  readonly id: string
  readonly at: string | null | undefined
  readonly user: typeof User.Type | null
  readonly text: string | null | undefined
  readonly issue: Pick<typeof Issue.Type, "body" | "number" | "title"> | { readonly number: number }
  /** The first comment of a thread on lines of code. */
  readonly thread?: number | undefined
  readonly context?: string | undefined
}

type Base = Pick<typeof Commented.Type, "installation" | "repository">

const isBot = ({ type }: typeof User.Type): boolean => type !== "User"

const messageOf = ({ installation, repository }: Base, found: Found, text: string): Option.Option<Message> => {
  const { id, issue, thread, user } = found
  if (user === null) return Option.none()
  const about = "title" in issue ? `: ${cut(issue.title, maxTitle)}` : ""
  const head = `${repository.full_name}#${issue.number}${about}`
  const place: Place = {
    installation: installation.id,
    repository: repository.full_name,
    number: issue.number,
    ...(thread !== undefined && { comment: thread })
  }
  return Option.some({
    type: "message",
    id,
    thread: `${repository.full_name}#${issue.number}${thread === undefined ? "" : `:${thread}`}`,
    place,
    sender: { id: String(user.id), name: user.login },
    isDirect: false,
    about: [`(${head})`, found.context ?? ""].filter((part) => part !== "").join("\n\n"),
    text
  })
}

/** A person has mentioned the app. */
const ofPerson = (base: Base, found: Found, { slug }: Reading): Option.Option<Message> => {
  if (found.user === null || isBot(found.user)) return Option.none()
  const text = mentioned(found.text ?? "", slug)
  return text === undefined ? Option.none() : messageOf(base, found, text)
}

/** What the app is mentioned below. */
const bodyOf = ({ body }: typeof Issue.Type): string =>
  typeof body === "string" && body.trim() !== "" ? quoted(body) : ""

const ofCheck = (event: typeof Checked.Type, { appId, readsChecks }: Reading): Found | undefined => {
  const { check_run: run, sender } = event
  const [pull] = run.pull_requests
  const hasFailed = run.conclusion === "failure" || run.conclusion === "timed_out"
  if (!readsChecks || pull === undefined || !hasFailed || String(run.app?.id) === appId) return undefined
  const { summary, title } = run.output
  const report = [title, summary].map((text) => text ?? "").filter((text) => text.trim() !== "").join("\n\n")
  return {
    id: `check:${run.id}`,
    at: run.completed_at,
    user: sender,
    issue: { number: pull.number },
    text: `The check ${cut(run.name, maxTitle)} has failed.`,
    ...(report !== "" && { context: quoted(report) })
  }
}

const isRecent = (time: string | null | undefined, at: number): boolean => {
  const written = Date.parse(time ?? "")
  return Number.isFinite(written) && Math.abs(at - written) <= maxAge
}

/** Undefined: nothing for the agent. */
export const read = (body: Json.Value, reading: Reading): Message | undefined => {
  const recent = (base: Base, found: Found, read: typeof ofPerson): Option.Option<Message> =>
    isRecent(found.at, reading.at) ? read(base, found, reading) : Option.none()
  const first = Option.firstSomeOf([
    Option.flatMap(decodeCommented(body), (event) => {
      const { comment, issue } = event
      const found = {
        id: `comment:${comment.id}`,
        at: comment.created_at,
        user: comment.user,
        text: comment.body,
        issue
      }
      return recent(event, { ...found, context: bodyOf(issue) }, ofPerson)
    }),
    Option.flatMap(decodeCodeCommented(body), (event) => {
      const { comment, pull_request: issue } = event
      const { created_at: at, diff_hunk = "", in_reply_to_id: first, path = "", user } = comment
      const context = path === "" ? "" : `${cut(path, maxTitle)}:\n${quoted(diff_hunk)}`
      const found = { id: `code:${comment.id}`, at, user, text: comment.body, issue, context }
      return recent(event, { ...found, thread: first ?? comment.id }, ofPerson)
    }),
    Option.flatMap(decodeReviewed(body), (event) => {
      const { pull_request: issue, review } = event
      const found = { id: `review:${review.id}`, at: review.submitted_at, user: review.user, text: review.body, issue }
      return recent(event, { ...found, context: bodyOf(issue) }, ofPerson)
    }),
    Option.flatMap(
      Option.firstSomeOf([
        Option.map(decodeOpened(body), (event) => ({ ...event, opened: event.issue })),
        Option.map(decodePullRequested(body), (event) => ({ ...event, opened: event.pull_request }))
      ]),
      (event) => {
        const { body: text, created_at: at, id, user } = event.opened
        return recent(event, { id: `opened:${id}`, at, user, text, issue: event.opened }, ofPerson)
      }
    ),
    Option.flatMap(decodeChecked(body), (event) => {
      const found = ofCheck(event, reading)
      return found === undefined
        ? Option.none()
        : recent(event, found, (base, found) => messageOf(base, found, found.text ?? ""))
    })
  ])
  return Option.getOrUndefined(first)
}
