import { binary, count, instant, text } from '../field/fields.ts';
import { anything, json, optionalJson } from '../field/structured.ts';
import { defineBookkeeping, type RowOfTable } from '../store/table.ts';

/** What was answered to a request that may be sent again: the same request gets the same answer, and changes nothing. */
export const IdempotencyRecord = defineBookkeeping({
  name: 'IdempotencyRecord',
  fields: {
    /** SHA-256 of who asked for what under which key. */
    scope: text(64, { unique: true }).required(),
    /** HMAC-SHA256 of what was sent. */
    content: text(64).required(),
    at: instant({ indexed: true }).required(),
    status: count(200),
    headers: json(anything, {}),
    body: binary(),
    /** The record that was written, so far as rights depend on it; null where the answer was a refusal. */
    subject: optionalJson(anything),
  },
});
export type IdempotencyRecordRow = RowOfTable<typeof IdempotencyRecord>;
