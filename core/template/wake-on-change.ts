import { App } from '../app/app.ts';
import { Company } from '../company/company.ts';
import { contribute, react } from '../resource/contribute.ts';
import type { AnyResource } from '../resource/define-resource.ts';
import type { Tables } from '../store/store.ts';
import { RunTemplate } from './run-template.ts';

/** Wakes the background when a run template, an App or a company has changed, because they decide which jobs run. */
export function wakeOnChange(resources: readonly AnyResource[], wake: () => void): readonly AnyResource[] {
  const afterCommit = async (_change: unknown, tables: Tables) => tables.afterCommit(wake);
  return contribute(
    resources,
    [RunTemplate, App, Company].map((each) => react(each as AnyResource, afterCommit)),
  );
}
