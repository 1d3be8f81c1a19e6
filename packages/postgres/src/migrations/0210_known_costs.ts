// A sum keeps a cost of zero that is known, as `Usage.add` of the domain does: such tokens have a price.
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    create or replace function svc_add_counters(one jsonb, other jsonb) returns jsonb
    language plpgsql immutable parallel safe as $$
    declare
      sums jsonb := '{}';
      counter text;
      total double precision;
    begin
      foreach counter in array array[
        'input_tokens', 'output_tokens', 'total_tokens', 'audio_input_tokens', 'audio_output_tokens',
        'audio_total_tokens', 'cache_read_tokens', 'cache_write_tokens', 'reasoning_tokens', 'cost'
      ] loop
        if one ? counter or other ? counter then
          total := coalesce((one ->> counter)::double precision, 0) + coalesce((other ->> counter)::double precision, 0);
          if total <> 0 or (counter = 'cost' and 0 in (
            (one ->> counter)::double precision, (other ->> counter)::double precision
          )) then
            sums := sums || jsonb_build_object(counter, total);
          end if;
        end if;
      end loop;
      return sums;
    end $$`
})
