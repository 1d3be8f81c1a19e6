// Patterns of credentials: the forms that providers give their keys and tokens.
import type { Pattern } from "./Finding.ts"

export const patterns: ReadonlyArray<Pattern> = [
  {
    type: "private_key",
    // without its end, the lines of the key
    pattern:
      /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY(?: BLOCK)?-----(?:(?:[^-]|-(?!----)){0,20000}-----END (?:[A-Z]+ )*PRIVATE KEY(?: BLOCK)?-----|(?:[A-Za-z0-9+/=]{40,})?(?:(?:\s|\\[nr])+[A-Za-z0-9+/=]{40,})*)/g
  },
  // only the first of a run of characters may begin a long header, so that the time stays linear
  {
    type: "jwt",
    pattern: /(?:(?<![\w-])eyJ[\w-]{8,}|\beyJ[\w-]{8,400})\.eyJ[\w-]{8,}\.[\w-]{8,}/g
  },
  // providers of models
  { type: "api_key", pattern: /\bsk-(?:ant-|proj-|or-v1-|svcacct-|admin-)?[\w-]{20,}/g },
  { type: "api_key", pattern: /\b(?:gsk_|xai-|hf_|r8_|pplx-|fw_)[A-Za-z0-9]{20,}\b/g },
  { type: "api_key", pattern: /\bAIza[\w-]{35}(?![\w-])/g },
  // clouds, hosts of code, registries
  { type: "aws_key", pattern: /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g },
  { type: "token", pattern: /\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_\w{50,})\b/g },
  { type: "token", pattern: /\bglpat-[\w-]{20,}/g },
  { type: "token", pattern: /\bnpm_[A-Za-z0-9]{36}\b/g },
  { type: "token", pattern: /\bpypi-[\w-]{50,}/g },
  { type: "token", pattern: /\bxox[abeoprs]-[\w-]{10,}/g },
  { type: "token", pattern: /\b(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,}\b/g },
  { type: "token", pattern: /\bSG\.[\w-]{16,}\.[\w-]{16,}/g },
  { type: "token", pattern: /\bhooks\.slack\.com\/services\/[\w/]{20,}/g },
  { type: "token", pattern: /\bdop_v1_[a-f0-9]{64}\b/g },
  // the password of a URL, and values of variables that are called like secrets, unless they stand for one
  { type: "password", pattern: /(?<=\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@]{0,100}:)[^\s:/@]{3,}(?=@)/gi },
  {
    type: "password",
    pattern:
      /(?<=(?:\b|_)(?:password|passwd|pwd|secret|(?:api|secret|access|secret[_-]?access)[_-]?key|access[_-]?token|client[_-]?secret)["']?\s{0,3}[:=]\s{0,3}["']?)(?![<*])[^\s"',;]{8,}/gi
  }
]
