import { contribute, react } from '../resource/contribute.ts';
import type { AnyResource } from '../resource/define-resource.ts';
import type { Tables } from '../store/store.ts';

/** Calls back after the commit of each change of these records, for the background that works by them. */
export function wakeOnChange(
  resources: readonly AnyResource[],
  changed: readonly { readonly name: string }[],
  wake: () => void,
): readonly AnyResource[] {
  const afterCommit = async (_change: unknown, tables: Tables) => tables.afterCommit(wake);
  return contribute(
    resources,
    changed.map((each) => react(each as AnyResource, afterCommit)),
  );
}
