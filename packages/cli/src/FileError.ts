// The errors of the system about files and programs, in words.
import type { PlatformError } from "effect"

const words: { readonly [code: string]: string } = {
  EACCES: "permission denied",
  EPERM: "the operation is not permitted",
  ENOENT: "no such file or directory",
  EEXIST: "it already exists",
  EISDIR: "it is a directory",
  ENOTDIR: "a part of the path is not a directory",
  ENOTEMPTY: "the directory is not empty",
  ELOOP: "too many links",
  ENAMETOOLONG: "the name is too long",
  EROFS: "the file system is read-only",
  ENOSPC: "no space is left on the device",
  EDQUOT: "the disk quota is exceeded",
  EIO: "the device failed",
  EBUSY: "it is in use",
  ETXTBSY: "it is in use",
  ENOEXEC: "it is not a program of this machine",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open"
}

export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined

export const inWords = (error: PlatformError.PlatformError): string => {
  const { cause } = error
  return words[codeOf(cause) ?? ""] ?? (cause instanceof Error ? cause.message : error.message)
}

export const isFull = ({ cause }: PlatformError.PlatformError): boolean =>
  ["ENOSPC", "EDQUOT"].includes(codeOf(cause) ?? "")
