// The input of a run as the input items of its response: the message of the user, with its media.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as Media from "@svc-runtime/domain/Media"
import * as Run from "@svc-runtime/domain/Run"
import * as MediumUrl from "../run/MediumUrl.ts"
import type { AnyMedium } from "../run/RunPiece.ts"
import * as OpaqueId from "./OpaqueId.ts"

const imageOf = (medium: Media.Image) => {
  const found = MediumUrl.of({ kind: "image", medium })
  return found === undefined ? [] : [{ type: "input_image", detail: "auto", image_url: found.url }]
}

const fileOf = (each: AnyMedium) => {
  const found = MediumUrl.of(each)
  if (found === undefined) return []
  const { medium } = each
  const name = "filename" in medium && medium.filename !== undefined ? { filename: medium.filename } : {}
  return [{
    type: "input_file",
    ...name,
    ...(medium.url === undefined ? { file_data: found.url } : { file_url: found.url })
  }]
}

const contentOf = ({ audios = [], files = [], images = [], input_content, videos = [] }: Run.Input) => [
  { type: "input_text", text: Run.textOf(input_content) },
  ...images.flatMap(imageOf),
  ...audios.flatMap((medium) => fileOf({ kind: "audio", medium })),
  ...videos.flatMap((medium) => fileOf({ kind: "video", medium })),
  ...files.flatMap((medium) => fileOf({ kind: "file", medium }))
]

export const itemOf = (run: AnyRun.Output, address: OpaqueId.ResponseAddress) => ({
  id: OpaqueId.ofInput(address),
  type: "message",
  status: "completed",
  role: "user",
  content: contentOf(AnyRun.inputOf(run))
})

/** `after` is the id of the last item that the client has. */
export const of = (run: AnyRun.Output, address: OpaqueId.ResponseAddress, after: string | undefined): object => {
  const item = itemOf(run, address)
  const { id } = item
  const isListed = run.input !== undefined && after !== id
  return {
    object: "list",
    data: isListed ? [item] : [],
    first_id: isListed ? id : null,
    last_id: isListed ? id : null,
    has_more: false
  }
}
