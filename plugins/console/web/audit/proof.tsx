import { useLive } from '../data/answer.ts';
import { isAdmin } from '../data/may.ts';
import { Facts } from '../parts/facts.tsx';
import { words } from '../words/words.ts';

interface Status {
  readonly audit_head?: { readonly seq: number; readonly hash: string };
}

/** The end of the sealed chain, which admins see, and how the chain is verified. */
export function Proof() {
  const text = words.value.audit;
  const status = useLive<Status>(isAdmin() ? '/status.json' : null, { every: 30_000 });
  const head = status.value?.audit_head;
  if (!head) return null;
  return (
    <section class="proof">
      <h2>{text.proof}</h2>
      <p class="soft">{head.seq === 0 ? text.proofNone : text.proofSealed(head.seq)}</p>
      <Facts
        of={[[text.proofVerify, <code key="verify">{`horarium audit:verify --head ${head.seq}:${head.hash}`}</code>]]}
      />
    </section>
  );
}
