// Files of people and of agents: https://docs.slack.dev/messaging/working-with-files
import type * as Json from "@svc-runtime/domain/Json"
import type { Context, File } from "../Adapter.ts"
import { ChannelError } from "../ChannelError.ts"
import * as Http from "../Http.ts"
import * as SlackApi from "./SlackApi.ts"

const permanent = (message: string) => new ChannelError({ reason: "permanent", message })

/** Its own addresses, and those of its service for governments. */
const hosts = /(?:^|\.)slack(?:-gov)?\.com$/

/** Other services must get neither the token nor a file. */
const isOfSlack = (api: SlackApi.SlackApi, url: string): boolean => {
  if (!URL.canParse(url)) return false
  const { hostname, origin, protocol } = new URL(url)
  return origin === new URL(api.url).origin || (protocol === "https:" && hosts.test(hostname))
}

/** The bytes of a file that a person has sent. */
export const download = async (api: SlackApi.SlackApi, id: string, context: Context): Promise<Uint8Array> => {
  const { file } = await SlackApi.read(api, "files.info", { file: id }, context)
  const url = SlackApi.textField(file, "url_private_download") || SlackApi.textField(file, "url_private")
  if (SlackApi.textField(file, "mode") === "external" || !isOfSlack(api, url)) {
    throw permanent("The file is stored outside of Slack, from where it is not downloaded")
  }
  const call = { name: "the download of a file", url, headers: SlackApi.bearer(api) }
  const { bytes, headers } = await Http.bytes(api.http, call, context)
  // without the permission, Slack answers with the page where people sign in
  const isPage = headers.get("content-type")?.startsWith("text/html") === true
  if (isPage && !SlackApi.textField(file, "mimetype").startsWith("text/html")) {
    throw new ChannelError({
      reason: "unauthorized",
      message: "Slack refused the download of a file: it needs files:read"
    })
  }
  return bytes
}

const upload = async (api: SlackApi.SlackApi, { bytes, name }: File, context: Context): Promise<Json.Object> => {
  const about = { filename: name, length: String(bytes.length) }
  const { file_id, upload_url } = await SlackApi.read(api, "files.getUploadURLExternal", about, context)
  if (typeof file_id !== "string" || typeof upload_url !== "string") {
    throw new ChannelError({ reason: "temporary", message: "Slack gave no address for a file" })
  }
  if (!isOfSlack(api, upload_url)) throw permanent("Slack gave an address for a file that is not its own")
  const headers = { "content-type": "application/octet-stream" }
  const body = new Uint8Array(bytes)
  await Http.bytes(api.http, { name: "the upload of a file", url: upload_url, method: "POST", headers, body }, context)
  return { id: file_id, title: name }
}

/** Files that have their bytes and are in no conversation yet. */
export const prepare = async (
  api: SlackApi.SlackApi,
  files: ReadonlyArray<File>,
  context: Context
): Promise<ReadonlyArray<Json.Object>> => {
  const prepared: Array<Json.Object> = []
  for (const file of files) prepared.push(await upload(api, file, context))
  return prepared
}

/** Shows prepared files in a conversation, and gives the id of the first one. */
export const share = async (
  api: SlackApi.SlackApi,
  { channel, thread }: { readonly channel: string; readonly thread: string | undefined },
  files: ReadonlyArray<Json.Object>,
  context: Context
): Promise<string> => {
  await SlackApi.write(api, "files.completeUploadExternal", { files, channel_id: channel, thread_ts: thread }, context)
  return SlackApi.textField(files[0], "id")
}
