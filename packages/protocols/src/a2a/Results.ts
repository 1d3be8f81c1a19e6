// The artifacts of a task, and the messages of its status: what a run gives, in parts.
import type * as Json from "@svc-runtime/domain/Json"
import type * as Media from "@svc-runtime/domain/Media"
import { Base64 } from "effect/encoding"
import type { Question } from "../pause/Question.ts"
import type { Artifact, Message, Part } from "./Model.ts"

/** The answer of a task has this id, however it is read. */
export const answerId = "answer"

type Medium = Media.Image & Media.Audio & Media.Video & Media.File

const defaultTypes = {
  image: "image/jpeg",
  audio: "audio/mpeg",
  video: "video/mp4",
  file: "application/octet-stream"
} as const

export type MediumKind = keyof typeof defaultTypes

/** Documents of type `text/*` have their text as content, and all others base64. Each is a file with bytes. */
export const mediumPart = (kind: MediumKind, medium: Partial<Medium>): Part | undefined => {
  const { content, filename, format, mime_type, name, url } = medium
  const type = mime_type ??
    (format === undefined ? defaultTypes[kind] : kind === "file" ? defaultTypes.file : `${kind}/${format}`)
  const described = {
    mediaType: type,
    ...(filename ?? name) === undefined ? {} : { filename: (filename ?? name) as string }
  }
  if (url !== undefined) return { url, ...described }
  if (content === undefined) return undefined
  return { raw: kind === "file" && type.startsWith("text/") ? Base64.encode(content) : content, ...described }
}

export const mediumArtifact = (kind: MediumKind, index: number, medium: Partial<Medium>): Artifact | undefined => {
  const part = mediumPart(kind, medium)
  const id = `${kind}-${index}`
  return part === undefined ? undefined : { artifactId: id, name: part.filename ?? id, parts: [part] }
}

/** Undefined without an answer. */
export const answerPart = (content: Json.Value | undefined): Part | undefined => {
  if (content === undefined || content === null || content === "") return undefined
  return typeof content === "string" ? { text: content } : { data: content, mediaType: "application/json" }
}

export const answer = (parts: ReadonlyArray<Part>): Artifact => ({ artifactId: answerId, name: answerId, parts })

interface Ids {
  readonly taskId: string
  readonly contextId: string
}

/** A message of the agent, whose id is always the same for the same thing. */
export const agentMessage = ({ contextId, taskId }: Ids, about: string, parts: ReadonlyArray<Part>): Message => ({
  messageId: `${taskId}-${about}`,
  contextId,
  taskId,
  role: "ROLE_AGENT",
  parts
})

const questionOf = ({ args, id, kind, message, name, schema, toolCallId }: Question): Json.Object => ({
  id,
  kind,
  name,
  tool_call_id: toolCallId,
  args,
  message,
  schema
})

/** What a paused task asks: for people as text, for programs as data. */
export const questionsMessage = (ids: Ids, questions: ReadonlyArray<Question>): Message => {
  const text = questions.map(({ message }) => message).join(" ")
  return agentMessage(ids, "input-required", [
    { text: text === "" ? "The task needs input." : text },
    ...questions.map((question): Part => ({ data: questionOf(question), mediaType: "application/json" }))
  ])
}

export const failureMessage = (ids: Ids, message: string): Message =>
  agentMessage(ids, "failed", [{ text: message === "" ? "The task failed" : message }])
