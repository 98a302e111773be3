import type { Format } from '@horarium/core';

/** Describes the conventions of every endpoint, in Markdown. */
export function introduction(formats: readonly Format[]): string {
  return paragraphs(formats).join('\n\n');
}

function paragraphs(formats: readonly Format[]): string[] {
  const suffixes = formats.map(({ suffix }) => `\`.${suffix}\``).join(', ');
  return [
    '**Signing in.** Send `Authorization: Bearer <token>` (a token comes from `POST /login` or `horarium token:generate`), or HTTP Basic with login and password. With an expired or unknown bearer token Basic is never tried. Credentials travel over HTTPS only, but for `localhost`.',
    `**Formats.** The suffix of a path chooses the format of the response: ${suffixes}. Without one it is JSON. Errors come in the same format. A slash at the end of a path is ignored.`,
    '**Bodies** are JSON or forms, in UTF-8, uncompressed. In a form a list is sent by repeating its field, and structured data as JSON. A field left out stays as it is, `null` clears it, an unknown field is refused.',
    '**Create or update.** `POST /thing` with an id, or with the natural key of a record that exists, updates it (200); otherwise it creates one (201, `Location`). With `If-None-Match: *` it only creates. The whole record comes back.',
    '**Lists** are arrays, newest first. `limit`, `offset`, `order` and equality on the fields named with each list; follow `Link: <…>; rel="next"` for the next page; one of large records may hold fewer than `limit`. `limit=all` gives all of them in formats that can be streamed. `X-Total-Count` says how many there are. A parameter that is not known is refused.',
    '**Lost updates.** Single records carry an `ETag`; send it as `If-Match`, and a write is refused with 412 when the record has changed since.',
    '**Dry runs.** Changes of records with `?dry_run=true` are checked, authorized and made with all that follows from them, and then rolled back: the response is what it would have been, and its `Warning` headers tell which records would be created, updated and deleted.',
    '**Idempotency.** A POST with an `Idempotency-Key` of your choice may be sent again within 24 hours: its change is made once, and its response is repeated. Errors are not stored. The same key with another body is refused with 409, and so is one whose request is still in flight.',
    '**Deleting** a record that others refer to is refused with 409, which names them; `?cascade=true`, for admins, deletes them too.',
    '**Times** are RFC 3339; responses give them in UTC with milliseconds. `from` and `to` also take a date, the whole day in the time zone of the service.',
    '**Secrets** are never shown. In their place there is `••••••••`; sending that back keeps what is stored.',
    '**Errors** have the members of RFC 9457 and `code`, `request_id` and, with 422, `errors`: one entry for each invalid field. The `X-Request-Id` that you send, or are given, is that of the log and the audit log.',
  ];
}
