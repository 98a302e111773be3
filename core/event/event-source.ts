import type { FieldError } from '../errors.ts';
import { defineResource } from '../resource/define-resource.ts';
import { exampleSecret } from '../resource/example.ts';
import { count, flag, instant, json, text } from '../resource/fields.ts';
import { keepSecretOptions, readOptions, secretOptions } from '../resource/options.ts';
import { anything } from '../resource/plain-data.ts';
import { sealField } from '../resource/record-seal.ts';

/** A place that events come from. */
export const EventSource = defineResource({
  name: 'EventSource',
  words: { one: 'eventsource', many: 'eventsources', id: 'eventSourceId' },
  note: 'A place that events come from: the database of a webhook adapter.',
  example: {
    name: 'shop webhooks',
    kind: 'changes-table',
    options: {
      driver: 'pgsql',
      host: 'db.acme.example',
      database: 'webhooks',
      username: 'reader',
      password: exampleSecret,
    },
    poll_interval: 30,
  },
  operations: ['list', 'get', 'save', 'remove'],
  company: null,
  key: ['name'],
  glance: ['id', 'name', 'kind', 'enabled', 'poll_interval', 'last_polled_at', 'last_error'],
  fields: {
    name: text(255, { unique: true }).required(),
    kind: text(64, { note: 'Which plugin reads it.' }).required(),
    options: json(anything, {}, { note: 'Described by the plugin.' }),
    seal: sealField(),
    poll_interval: count(60, { note: 'Seconds.' }).min(1),
    enabled: flag(true, { indexed: true }),
    /** How far its events were read; the plugin knows what it means. */
    cursor: text(1024, { readOnly: true, unaudited: true }),
    last_polled_at: instant({ readOnly: true, unaudited: true }),
    last_error: text(1000, { readOnly: true, unaudited: true }),
  },
  check(row, { service, before, refuse }) {
    const kind = service.eventSourceKinds.get(row.kind);
    if (!kind) return refuse('kind', `no loaded plugin brings the event source kind ${row.kind}`);
    const stored = before?.kind === row.kind ? before.options : undefined;
    const errors: FieldError[] = [];
    row.options = readOptions(['options'], kind.options, keepSecretOptions(kind.options, row.options, stored), errors);
    for (const { field, message } of errors) refuse(field, message);
  },
  secrets: (row, { service }) => secretOptions(['options'], service.eventSourceKinds.get(row.kind)?.options),
});
export type EventSourceRow = NonNullable<(typeof EventSource)['row']>;
