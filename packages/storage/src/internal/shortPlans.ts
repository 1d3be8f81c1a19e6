// How the database plans short statements. They are long texts with few rows, so planning one costs three times as much
// as executing it. It is planned once per connection, for parameters of any size; sequential scans are avoided, because
// the plan may be older than the data.
export const settings = { plan_cache_mode: "force_generic_plan", enable_seqscan: "off" } as const
