import type { UndoingChange } from '../data/why.ts';
import { Sentence } from '../parts/text/sentence.tsx';
import { When } from '../parts/when.tsx';
import { words } from '../words/words.ts';

/** Says who has undone a change, and when: `undone by anna 10:14`. */
export function UndoneBy({ of: { at, actor } }: { readonly of: UndoingChange }) {
  return (
    <span class="soft">
      <Sentence of={words.value.act.undoneBy} with={{ who: <bdi>{actor}</bdi>, when: <When at={at} as="moment" /> }} />
    </span>
  );
}
