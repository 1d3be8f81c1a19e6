// The content of a body after it is decoded, whatever its encoding.

export interface UploadedFile {
  readonly field: string
  readonly name: string
  readonly contentType: string
  readonly bytes: Uint8Array
}

export interface FormBody {
  /** The last value of a field that is given more than once. */
  readonly fields: Readonly<Record<string, string>>
  readonly files: ReadonlyArray<UploadedFile>
  /** The same for the same fields and files, whatever their order and encoding. Of requests with an idempotency key. */
  readonly fingerprint: string
}

export type Content = Pick<FormBody, "fields" | "files">
