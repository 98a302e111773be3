import { variableRefusal } from './app/forbidden-variables.ts';
import { missingExtension } from './registry/missing-extension.ts';
import type { RecordServices } from './resource/record-services.ts';

/** What this host would refuse, each as the end of a sentence, null = it would not; and the user that it runs jobs as. */
export class Refusals {
  readonly #services: Pick<RecordServices, 'executors' | 'actions'>;

  constructor(services: Pick<RecordServices, 'executors' | 'actions'>) {
    this.#services = services;
  }

  /** Why a variable can be neither declared nor set. */
  variable(name: string): string | null {
    return variableRefusal(this.#services.executors, name);
  }

  /** Why jobs with these options of an executor would not be started. */
  start(executor: string, options: Readonly<Record<string, unknown>>, runAs: string | null): string | null {
    return this.#services.executors.get(executor)?.refuse?.(options, runAs) ?? null;
  }

  /** As whom jobs of an executor run where neither the company nor the template names a user. */
  usualUser(executor: string): string | null {
    return this.#services.executors.get(executor)?.usualUser?.() ?? null;
  }

  /** Why an action with these options cannot be delivered. */
  action(name: string, options: Readonly<Record<string, unknown>>): string | null {
    const { actions } = this.#services;
    const schema = actions.get(name);
    return schema ? (schema.refuse?.(options) ?? null) : missingExtension('action', name, actions.keys());
  }
}
