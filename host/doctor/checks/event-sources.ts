import { EventSource } from '@horarium/core';
import { type Finding, firstFindings, ok, warn } from '../finding.ts';
import type { Installation } from '../installation.ts';

/** The number of event sources that are read. */
const maxRead = 1000;

/** Names the event sources whose last poll failed. */
export async function checkEventSources(installation: Installation): Promise<Finding[]> {
  const core = await installation.core();
  const sources = await core.store.read((tables) =>
    tables.of(EventSource).find({
      where: [['enabled', '=', true]],
      columns: ['id', 'name', 'last_error'],
      limit: maxRead,
    }),
  );
  const failing = sources.filter(({ last_error }) => last_error !== null);
  if (failing.length === 0) return [ok(`${sources.length} enabled, and none has failed last`)];
  const findings = failing.map(({ id, name, last_error }) =>
    warn(`${id} ${name}: ${last_error}`, `horarium eventsource:test ${id}`),
  );
  return firstFindings(findings, 'event sources', 'horarium eventsource:list --enabled true');
}
