// Bodies: JSON, or a form if there are files. In both, objects are given as objects.
import { jsonText } from "./JsonText.ts"

/** A file: a `Blob`, data with a name, or in Node the path of a file. A stream is read into memory. */
export type Upload = Blob | { readonly name: string; readonly data: Data } | { readonly path: string }

type Data = Blob | ArrayBuffer | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>>

export interface Body {
  readonly body: BodyInit
  readonly contentType?: string
}

interface FileSystem {
  readonly openAsBlob: (path: string) => Promise<Blob>
}

/** The name is no literal, so that bundlers for browsers do not look for the module. */
const fileSystem = "node:fs"

const opened = async (upload: Upload): Promise<readonly [data: Blob, name: string | undefined]> => {
  if (upload instanceof Blob) return [upload, "name" in upload ? String(upload.name) : undefined]
  if (typeof upload !== "object" || upload === null || !("data" in upload || "path" in upload)) {
    throw new TypeError("A file is a Blob, { name, data }, or { path } in Node")
  }
  if ("data" in upload) {
    const { data, name } = upload
    return [data instanceof Blob ? data : await new Response(data).blob(), name]
  }
  const { openAsBlob }: FileSystem = await import(/* @vite-ignore */ /* webpackIgnore: true */ fileSystem)
  return [await openAsBlob(upload.path), upload.path.split(/[/\\]/).at(-1)]
}

/** Only these fields have files: in any other one, an object with a `path` is an object. */
const fileFields: ReadonlyArray<string> = ["file", "files"]

const uploadsIn = (name: string, value: unknown): ReadonlyArray<Upload> => {
  if (!fileFields.includes(name) || typeof value !== "object" || value === null) return []
  return Array.isArray(value) ? value : [value as Upload]
}

export const jsonBody = (fields: object): Body => ({
  body: jsonText(fields, "the request"),
  contentType: "application/json"
})

export const bodyOf = async (fields: object): Promise<Body> => {
  if (!Object.entries(fields).some(([name, value]) => uploadsIn(name, value).length > 0)) return jsonBody(fields)
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    const uploads = uploadsIn(name, value)
    for (const upload of uploads) {
      const [data, fileName] = await opened(upload)
      form.append(name, data, fileName ?? "file")
    }
    if (uploads.length > 0 || value === undefined || value === null) continue
    form.append(name, typeof value === "string" ? value : jsonText(value, name))
  }
  return { body: form }
}
