// A service with a channel on a platform in memory, and what people do there.
import * as Channel from "@svc-runtime/channels/Channel"
import * as MemoryPlatform from "@svc-runtime/test-support/platforms/MemoryPlatform"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect } from "effect"
import { ask, serve } from "../Wire.ts"
import { passing } from "./ScheduleTime.ts"

export const path = "/channels/chat/events"

/** Time passes until the platform shows what is wanted. */
export const until = (platform: MemoryPlatform.MemoryPlatform, isWanted: () => boolean) =>
  passing(platform.until(isWanted))

export interface Options extends TestServer.Options {
  readonly channel?: Partial<Channel.Options>
  readonly platform?: MemoryPlatform.MemoryPlatform
}

/** A channel of the agent `desk`, with which everybody may talk. */
export const chatting = Effect.fnUntraced(function*(
  { channel = {}, platform = MemoryPlatform.make(), ...options }: Options
) {
  const server = yield* serve({
    declared: {
      channels: [Channel.make({ id: "chat", agent: "desk", access: { type: "open" }, ...channel }, platform.adapter)]
    },
    ...options
  })
  const send = (...events: ReadonlyArray<MemoryPlatform.Written>) =>
    ask(server, path, MemoryPlatform.delivery(...events))
  /** Time passes until the last message is this one. */
  const says = (text: string) => until(platform, () => platform.texts().at(-1) === text)
  return { platform, says, send, server }
})
