import { insertOne } from '../store/rows.ts';
import { Setting } from '../store/setting.ts';
import type { Tables } from '../store/store.ts';
import { newRow } from '../store/table.ts';
import { endOfPause, Pause, type PauseRow } from './pause.ts';

const setting = 'restore pause';

/**
 * Pauses everything in a store that was restored from a backup, however many pauses there are.
 * @param by who restores it. @returns the id of the pause.
 */
export async function pauseRestored(tables: Tables, by: string, reason: string): Promise<number> {
  const pause = newRow(Pause, { starts_at: await tables.now(), reason, paused_by: by });
  const id = await insertOne(tables.of(Pause), pause);
  await tables.of(Setting).delete([['name', '=', setting]]);
  await tables.of(Setting).insert([newRow(Setting, { name: setting, value: `${id}` })]);
  return id;
}

/** Returns the pause of a restore while it is in force: what the original may do as well waits until a person resumes. */
export async function readRestorePause(tables: Tables): Promise<PauseRow | null> {
  const id = await tables.setting(setting);
  if (id === null) return null;
  const [pause] = await tables.of(Pause).find({ where: [['id', '=', Number(id)]] });
  return pause && endOfPause(pause) > (await tables.now()) ? pause : null;
}
