import { count, flag, instant, refs, seconds, text } from '../field/fields.ts';
import { anything, json } from '../field/structured.ts';
import { movedAddress, movedSecretErrors } from '../records/moved-secrets.ts';
import { keepStoredSecrets, readOptions, secretOptionPaths } from '../records/plugin-options.ts';
import { missingExtension } from '../registry/missing-extension.ts';
import { defineResource, type InputOfResource, type Resource } from '../resource/define-resource.ts';
import { exampleSecret } from '../resource/example.ts';
import { byRole } from '../resource/permissions.ts';
import { cipherKeyField } from '../secret/record-cipher.ts';
import type { RowOfTable } from '../store/table.ts';

const described = defineResource({
  name: 'EventSource',
  names: { singular: 'eventsource', plural: 'eventsources', id: 'eventSourceId' },
  description: 'Where events come from: a webhook, or the change table of a database.',
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
  operations: ['list', 'get', 'save', 'delete'],
  permissions: byRole({ read: 'viewer', write: 'admin' }),
  company: null,
  key: ['name'],
  summaryFields: ['id', 'name', 'kind', 'enabled', 'poll_interval', 'last_polled_at', 'last_error'],
  fields: {
    name: text(255, { unique: true, description: 'Name for people.' }).required(),
    kind: text(64, { names: 'event_source_kinds', description: 'Which plugin reads it.' }).required(),
    options: json(
      anything,
      {},
      {
        detailOnly: true,
        members: { by: 'kind', options: 'event_source_kinds' },
        description: 'Described by the plugin.',
      },
    ),
    cipher_key: cipherKeyField(),
    poll_interval: seconds(60, { description: 'Seconds between two looks for changes.' }).min(1),
    companies: refs('Company', {
      description: 'The companies whose event rules may react to it. None: only rules that admins write.',
    }),
    enabled: flag(true, { indexed: true, description: 'A disabled source is not read.' }),
    /** The position up to which its events were read, in a form that only its plugin understands. */
    cursor: text(1024, { readOnly: true, unaudited: true }),
    last_polled_at: instant({ readOnly: true, unaudited: true }),
    last_error: text(1000, { readOnly: true, unaudited: true }),
    /** When it is due; the host that reads it puts it ahead, so that no other does. */
    next_poll_at: instant({ hidden: true, unaudited: true, indexed: true }).default(0).nonNullable(),
    /** How many polls have failed in a row. */
    failures: count(0, { hidden: true, unaudited: true }),
  },
  check(row, { service, before, errors }) {
    const kind = service.eventSourceKinds.get(row.kind);
    if (!kind) {
      errors.push({
        field: 'kind',
        message: missingExtension('event source kind', row.kind, service.eventSourceKinds.keys()),
      });
      return;
    }
    const stored = before?.kind === row.kind ? before.options : undefined;
    const withSecrets = keepStoredSecrets(kind.options, row.options, stored);
    const owner = `the event source kind ${row.kind}`;
    row.options = readOptions(['options'], kind.options, withSecrets, owner, errors);
    const moved = before && (stored ? movedAddress(kind, row.options, stored) : ['kind']);
    errors.push(...movedSecretErrors(row, secretOptionPaths(['options'], kind.options), moved ?? []));
  },
  secrets: (row, { service }) => secretOptionPaths(['options'], service.eventSourceKinds.get(row.kind)?.options),
});
export type EventSourceRow = { [K in keyof RowOfTable<typeof described>]: RowOfTable<typeof described>[K] };
export type EventSourceInput = { [K in keyof InputOfResource<typeof described>]: InputOfResource<typeof described>[K] };

/** A place that events are read from, such as a table that a webhook adapter fills. */
export const EventSource: Resource<EventSourceRow, EventSourceInput> = described;
