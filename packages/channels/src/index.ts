// What authors import.
export type {
  Acknowledgement,
  Adapter,
  Choice,
  Command,
  Context,
  Delivery,
  Event,
  Field,
  File,
  Limits,
  Message,
  OutgoingMessage,
  Press,
  Prompt,
  Received,
  Sender,
  SentFile
} from "./Adapter.ts"
export * as Channel from "./Channel.ts"
export { ChannelError, type Reason } from "./ChannelError.ts"
export * as Http from "./Http.ts"
export * as Markdown from "./Markdown.ts"
export * as Signatures from "./Signatures.ts"
