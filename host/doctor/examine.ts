import { blamePlugin, yieldToEventLoop } from '@horarium/core';
import { DatabaseDenied } from '../../adapters/mikro-orm/dialects/postgresql/errors.ts';
import { explain, isExplained } from '../cli/failure.ts';
import { serviceIds } from '../service-ids.ts';
import { checks } from './checks.ts';
import { type Finding, fail, firstFindings, ok, warn } from './finding.ts';
import type { Installation } from './installation.ts';

/** A finding with the name of its check, as channels show it. */
export interface Examined extends Finding {
  readonly check: string;
}

/** Runs every check; one is skipped where another that it needs has failed. */
export async function examine(installation: Installation): Promise<Examined[]> {
  const examined: Examined[] = [];
  const blocking = new Set<string>();
  for (const { name, after, advice, run, runEarly } of checks) {
    await yieldToEventLoop();
    const isBlocked = after !== undefined && blocking.has(after);
    const findings = isBlocked
      ? await attempt(async () => (await runEarly?.(installation)) ?? [skipped(after)], advice)
      : await attempt(() => run(installation), advice);
    if (isBlocked || findings.some(({ state }) => state === 'fail' || state === 'skipped')) blocking.add(name);
    examined.push(...findings.map(({ state, found, advice }) => ({ check: name, state, found, advice })));
  }
  if (!blocking.has('plugins')) examined.push(...(await examinePlugins(installation, blocking)));
  return examined;
}

/** The check after which the store can be used. */
const storeCheck = 'vault key';

/** Runs the checks of the plugins. */
async function examinePlugins(installation: Installation, blocking: ReadonlySet<string>): Promise<Examined[]> {
  const { checks: ofPlugins } = await (await installation.host()).get(serviceIds.registries);
  const examined: Examined[] = [];
  for (const { name, advice, readsStore, run } of ofPlugins) {
    await yieldToEventLoop();
    const plugin = ofPlugins.ownerOf(name);
    const check = async () => {
      if (readsStore && blocking.has(storeCheck)) return [skipped(storeCheck)];
      const found = await blamePlugin(plugin, isExplained, () => run(() => installation.core()));
      if (typeof found === 'string') return [ok(found)];
      return firstFindings(
        found.map((each) => warn(each.warning, each.advice)),
        name,
        advice,
      );
    };
    examined.push(...(await attempt(check, advice)).map((finding) => ({ check: name, ...finding })));
  }
  return examined;
}

/** The advice of every check that meets a table which the role of the service may not use: new tables need grants too. */
const grantsAdvice = 'Give the role of the service its rights on every table (grant): horarium help postgresql';

function skipped(after: string): Finding {
  return { state: 'skipped', found: `waits until the check of ${after} is ok`, advice: '' };
}

/** Returns what was found; an error that says what has to be changed is a finding. @throws any other error. */
async function attempt(run: () => Promise<readonly Finding[]>, advice: string): Promise<readonly Finding[]> {
  try {
    return await run();
  } catch (error) {
    if (!isExplained(error)) throw error;
    return [fail(explain(error).text.trimEnd(), error instanceof DatabaseDenied ? grantsAdvice : advice)];
  }
}
