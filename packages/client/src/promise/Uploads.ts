// Bodies: JSON, or a form if there are files. In both, objects are given as objects.

/** A file: a `Blob`, one with a name, or the path of a file where the platform is Node. */
export type Upload = Blob | { readonly name: string; readonly data: Blob } | { readonly path: string }

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
  if ("data" in upload) return [upload.data, upload.name]
  const { openAsBlob }: FileSystem = await import(/* @vite-ignore */ fileSystem)
  return [await openAsBlob(upload.path), upload.path.split(/[/\\]/).at(-1)]
}

const isUpload = (value: unknown): value is Upload =>
  value instanceof Blob ||
  (typeof value === "object" && value !== null && (("data" in value && value.data instanceof Blob) || isPath(value)))

const isPath = (value: object): boolean => Object.keys(value).join() === "path"

const uploadsIn = (value: unknown): ReadonlyArray<Upload> =>
  isUpload(value) ? [value] : Array.isArray(value) && value.length > 0 && value.every(isUpload) ? value : []

export const jsonBody = (fields: object): Body => ({ body: JSON.stringify(fields), contentType: "application/json" })

export const bodyOf = async (fields: object): Promise<Body> => {
  if (!Object.values(fields).some((value) => uploadsIn(value).length > 0)) return jsonBody(fields)
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    const uploads = uploadsIn(value)
    for (const upload of uploads) {
      const [data, fileName] = await opened(upload)
      form.append(name, data, fileName ?? "file")
    }
    if (uploads.length > 0 || value === undefined || value === null) continue
    form.append(name, typeof value === "string" ? value : JSON.stringify(value))
  }
  return { body: form }
}
