// The usage of a run in the terms of both APIs.
import type * as Usage from "@svc-runtime/domain/Usage"

const counts = (metrics: Usage.RunMetrics) => {
  const { cache_read_tokens = 0, input_tokens = 0, output_tokens = 0, reasoning_tokens = 0, total_tokens } = metrics
  return {
    cache_read_tokens,
    input_tokens,
    output_tokens,
    reasoning_tokens,
    total: total_tokens ?? input_tokens + output_tokens
  }
}

/** Undefined if the provider has sent none: each request has tokens. */
export const ofCompletion = (metrics: Usage.RunMetrics) => {
  const { cache_read_tokens, input_tokens, output_tokens, reasoning_tokens, total } = counts(metrics)
  return total === 0 ? undefined : {
    prompt_tokens: input_tokens,
    completion_tokens: output_tokens,
    total_tokens: total,
    prompt_tokens_details: { cached_tokens: cache_read_tokens },
    completion_tokens_details: { reasoning_tokens }
  }
}

/** Undefined as that of a completion. */
export const ofResponse = (metrics: Usage.RunMetrics) => {
  const { cache_read_tokens, input_tokens, output_tokens, reasoning_tokens, total } = counts(metrics)
  return total === 0 ? undefined : {
    input_tokens,
    input_tokens_details: { cached_tokens: cache_read_tokens },
    output_tokens,
    output_tokens_details: { reasoning_tokens },
    total_tokens: total
  }
}
