// The limits of channels, and the settings that change them.
import { count, retention } from "@svc-runtime/http/config/ConfigReaders"
import { Config as Env, Duration } from "effect"
import type { Room } from "./ChannelStore.ts"

export interface ChannelLimits {
  /** Replies that a node writes at a time (CHANNEL_CONCURRENCY). */
  readonly concurrency: number
  /**
   * Events that may wait: of a conversation (CHANNEL_WAITING_PER_THREAD), of a person (CHANNEL_WAITING_PER_SENDER) and
   * of a channel (CHANNEL_WAITING).
   */
  readonly room: Room
  /** Bytes of all files of a message (CHANNEL_FILES_MAX_BYTES). */
  readonly fileBytes: number
  /** How long handled events and written replies are kept (CHANNEL_RETENTION). Zero: forever. */
  readonly retention: Duration.Duration | undefined
  /** How long the account of a person stays linked (CHANNEL_LINK_LIFETIME). Zero: forever. */
  readonly linkLifetime: Duration.Duration | undefined
  /** Channels that requests have made (MAX_CHANNELS). */
  readonly maxStored: number
}

export const channelSettings: Env.Config<ChannelLimits> = Env.all({
  concurrency: count("CHANNEL_CONCURRENCY", 256),
  fileBytes: count("CHANNEL_FILES_MAX_BYTES", 20 * 1024 * 1024),
  perThread: count("CHANNEL_WAITING_PER_THREAD", 50),
  perSender: count("CHANNEL_WAITING_PER_SENDER", 100),
  perChannel: count("CHANNEL_WAITING", 10_000),
  maxStored: count("MAX_CHANNELS", 100),
  kept: retention("CHANNEL_RETENTION", Duration.days(30)),
  linkLifetime: retention("CHANNEL_LINK_LIFETIME", Duration.days(90))
}).pipe(Env.map(({ concurrency, fileBytes, kept, linkLifetime, maxStored, ...room }) => ({
  concurrency,
  fileBytes,
  room,
  retention: kept,
  linkLifetime,
  maxStored
})))
