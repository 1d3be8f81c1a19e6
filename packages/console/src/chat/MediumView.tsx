// Images, sound, video and files of a run. What the service stores is fetched with the person's token.
import { useEffect, useState } from "preact/hooks"
import { svc } from "../service/Service.ts"
import type { Medium } from "./Medium.ts"

/** An address of the service is a path. */
const stored = /^(?!\/\/)(?:\/[^?#]*)?\/?media\/([^/?#]+)/

const fromBase64 = (text: string, type: string): Blob =>
  new Blob([Uint8Array.from(atob(text.replace(/^data:[^,]*,/, "")), (character) => character.charCodeAt(0))], { type })

const load = async (
  { content, mime_type: type = "application/octet-stream", url }: Medium["source"]
): Promise<Blob | undefined> => {
  const id = url === undefined ? undefined : stored.exec(url)?.[1]
  if (id !== undefined) return svc().media.get(decodeURIComponent(id))
  return content === undefined ? undefined : fromBase64(content, type)
}

const nameOf = (source: Medium["source"]): string =>
  ("filename" in source ? source.filename : undefined) ?? ("alt_text" in source ? source.alt_text : undefined) ??
    source.id ?? "file"

export const MediumView = ({ medium: { kind, source } }: { readonly medium: Medium }) => {
  const [address, setAddress] = useState<string | undefined>(undefined)
  const [isMissing, setMissing] = useState(false)
  useEffect(() => {
    let made: string | undefined
    let isOver = false
    load(source).then(
      (blob) => {
        if (isOver || blob === undefined) return
        made = URL.createObjectURL(blob)
        setAddress(made)
      },
      () => setMissing(true)
    )
    return () => {
      isOver = true
      if (made !== undefined) URL.revokeObjectURL(made)
    }
  }, [source.id, source.url])
  const name = nameOf(source)
  if (isMissing) return <p class="quiet">{name} cannot be loaded</p>
  if (address === undefined) {
    const { content, url = "" } = source
    // a medium of another host is not loaded by the page
    const isForeign = content === undefined && /^https?:/.test(url)
    if (content === undefined && url === "") return <p class="quiet">{name} has no content</p>
    return isForeign
      ? (
        <p>
          <a href={url} target="_blank" rel="noopener noreferrer">{name}</a>
        </p>
      )
      : <p class="quiet">Loading {name} …</p>
  }
  switch (kind) {
    case "image":
      return <img class="medium" src={address} alt={name} />
    case "audio":
      return <audio class="medium" src={address} controls aria-label={name} />
    case "video":
      return <video class="medium" src={address} controls aria-label={name} />
    case "file":
      return (
        <p>
          <a href={address} download={name}>{name}</a>
        </p>
      )
  }
}
