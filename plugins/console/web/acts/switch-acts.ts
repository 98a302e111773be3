import { request } from '../data/request.ts';
import { say } from '../parts/messages.tsx';
import { words } from '../words/words.ts';

/** The field that switches a kind of record on and off, and the path of the record. */
export interface Switch {
  readonly path: string;
  readonly field: 'active' | 'enabled';
}

/** The switch of a template. */
export const switchOf = (templateId: number): Switch => ({ path: `/runtemplate/${templateId}.json`, field: 'active' });

/** Switches a record on or off. @throws Problem */
export async function set({ path, field }: Switch, isOn: boolean): Promise<void> {
  await request(path, { method: 'POST', body: { [field]: isOn } });
}

/** Switches a record on or off, and says so; Undo switches it back. @throws Problem */
export async function switchTo(of: Switch, isOn: boolean, name: string): Promise<void> {
  const { act } = words.value;
  const text = (on: boolean) => (on ? act.switchedOn(name) : act.switchedOff(name));
  await set(of, isOn);
  say(text(isOn), {
    undo: async () => {
      await set(of, !isOn);
      say(text(!isOn));
    },
  });
}
