import { session } from '../data/session.ts';
import { ask } from '../parts/ask.tsx';
import { words } from '../words/words.ts';

/** Asks before readers change what they may do themselves, because they may then not undo it. @returns whether it is done. */
export async function mayLoseAccess(userId: number): Promise<boolean> {
  const text = words.value.ownAccess;
  if (userId !== session.value?.user.id) return true;
  return (await ask({ title: text.title, content: <p class="soft">{text.effect}</p>, confirm: text.goOn })) !== null;
}
