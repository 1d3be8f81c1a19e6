// Images, audio, videos and documents of a run's input or output. `content` is base64, or plain text for `text/*`
// documents.
import { Schema } from "effect"

const source = {
  id: Schema.optionalKey(Schema.String),
  url: Schema.optionalKey(Schema.String),
  filepath: Schema.optionalKey(Schema.String),
  content: Schema.optionalKey(Schema.String),
  format: Schema.optionalKey(Schema.String),
  mime_type: Schema.optionalKey(Schema.String),
  /** Bytes. */
  size: Schema.optionalKey(Schema.Int)
}

export const Image = Schema.Struct({
  ...source,
  detail: Schema.optionalKey(Schema.String),
  original_prompt: Schema.optionalKey(Schema.String),
  revised_prompt: Schema.optionalKey(Schema.String),
  alt_text: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "Image" })
export type Image = typeof Image.Type

export const Audio = Schema.Struct({
  ...source,
  /** Seconds. */
  duration: Schema.optionalKey(Schema.Finite),
  /** Samples per second. */
  sample_rate: Schema.optionalKey(Schema.Int),
  channels: Schema.optionalKey(Schema.Int),
  transcript: Schema.optionalKey(Schema.String),
  expires_at: Schema.optionalKey(Schema.Int)
}).annotate({ identifier: "Audio" })
export type Audio = typeof Audio.Type

export const Video = Schema.Struct({
  ...source,
  /** Seconds. */
  duration: Schema.optionalKey(Schema.Finite),
  width: Schema.optionalKey(Schema.Int),
  height: Schema.optionalKey(Schema.Int),
  fps: Schema.optionalKey(Schema.Finite),
  eta: Schema.optionalKey(Schema.String),
  original_prompt: Schema.optionalKey(Schema.String),
  revised_prompt: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "Video" })
export type Video = typeof Video.Type

export const File = Schema.Struct({
  ...source,
  file_type: Schema.optionalKey(Schema.String),
  filename: Schema.optionalKey(Schema.String),
  name: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "File" })
export type File = typeof File.Type

export const isWebAddress = (url: string): boolean => /^https?:\/\//i.test(url) && URL.canParse(url)

/** Whether a model can be handed the medium: its bytes, or an address of the web. One of this machine is none. */
export const isUsable = ({ content, url = "" }: Pick<File, "content" | "url">): boolean =>
  content !== undefined || isWebAddress(url) || /^data:/i.test(url)

/** The media of one input. Empty kinds are left out. */
export const fields = {
  images: Schema.optionalKey(Schema.Array(Image)),
  audios: Schema.optionalKey(Schema.Array(Audio)),
  videos: Schema.optionalKey(Schema.Array(Video)),
  files: Schema.optionalKey(Schema.Array(File))
}

export const Media = Schema.Struct(fields)
export type Media = typeof Media.Type
