import type { AnyAction } from '../action/action.ts';
import type { ActionEvent, NamedRecord, Notice } from '../action/notice.ts';
import type { AuditedStore } from '../audit/audited-store.ts';
import { Company } from '../company/company.ts';
import { badRequest, denied, errorMessage, type FieldError } from '../errors.ts';
import { describeFields } from '../field/field-description.ts';
import { stableUuid } from '../field/stable-id.ts';
import type { Clock } from '../loop/clock.ts';
import { throwIfInvalid } from '../records/input.ts';
import { completeOptions, type Options, readOptions, secretOptionPaths } from '../records/plugin-options.ts';
import { readTextFields, type TextFields } from '../records/text-input.ts';
import { missingExtension } from '../registry/missing-extension.ts';
import { authorize, readVisible } from '../resource/access.ts';
import type { Actor } from '../resource/actor.ts';
import { isAdmin } from '../resource/permissions.ts';
import { readById } from '../store/rows.ts';
import { RunTemplate } from '../template/run-template.ts';
import { attemptDelivery } from './attempt-delivery.ts';
import type { ListOwner } from './delivery.ts';
import { type OwnedLists, optionsOf } from './listed-options.ts';
import { type DeliveryContext, secretsIn } from './prepare-deliveries.ts';

export interface TestNoticesOptions extends DeliveryContext {
  readonly store: AuditedStore;
  readonly clock: Clock;
}

/** What came of a test notice. */
export interface TestResult {
  readonly action: string;
  /** Where it went; never a secret. */
  readonly endpoint: string;
  /** Why it did not arrive; null = it arrived. */
  readonly error: string | null;
  readonly status: number | null;
  readonly response: string | null;
}

/** A list of actions: that of a template or company with its id, or of the service. */
export interface ListPlace {
  readonly owner: ListOwner;
  /** Null for the service. */
  readonly id: number | null;
  readonly event: ActionEvent;
}

/** The records that a test notice names. */
interface Named {
  readonly company: NamedRecord;
  readonly runtemplate: NamedRecord;
}

const anyCompany: NamedRecord = { id: 0, code: null, name: 'Test' };
const anyTemplate: NamedRecord = { id: 0, code: null, name: 'a run template' };

/**
 * Sends test notices, so that people see whether actions reach their receivers before something fails. A test is sent once,
 * is stored nowhere, and changes nothing: it switches no template off.
 */
export class TestNotices {
  readonly #options: TestNoticesOptions;

  constructor(options: TestNoticesOptions) {
    this.#options = options;
  }

  /**
   * Sends a test notice by one action with the given options.
   * @throws HorariumError `denied` to all but admins, because the receiver is any; `bad_request` for an action that is
   *   unknown or cannot be delivered here; `invalid` naming wrong options.
   */
  async send(actor: Actor, name: string, event: ActionEvent, given: Options): Promise<TestResult> {
    if (!isAdmin(actor)) throw denied(`${actor.name} may not test the action ${name}: that takes the role admin.`);
    const action = this.#actionNamed(name);
    const errors: FieldError[] = [];
    const options = readOptions([], action.options, given, `the action ${name}`, errors);
    throwIfInvalid(`The action ${name}`, errors);
    const refusal = action.refuse?.(options) ?? null;
    if (refusal !== null) throw badRequest(`The action ${name} cannot be delivered: ${refusal}.`);
    const named = { company: anyCompany, runtemplate: anyTemplate };
    return this.#attempt(action, event, completeOptions(action.options, options), named);
  }

  /**
   * Sends a test notice by each action of a list, with the options that are stored there.
   * @throws HorariumError `not_found`; `denied` to those who may not change the list; `bad_request` for an empty list.
   */
  async sendList(actor: Actor, { owner, id, event }: ListPlace): Promise<readonly TestResult[]> {
    const { lists, ...named } = await this.#readLists(actor, owner, id ?? 0);
    if (lists[event].length === 0) throw badRequest(`The list ${event} has no actions to test.`);
    return Promise.all(
      lists[event].map(async ({ action: name }, position): Promise<TestResult> => {
        try {
          const action = this.#actionNamed(name);
          const options = optionsOf(this.#options.vault, action, { owner, lists, event, position });
          return await this.#attempt(action, event, options, named);
        } catch (error) {
          return { action: name, endpoint: name, error: errorMessage(error), status: null, response: null };
        }
      }),
    );
  }

  /** Converts texts to the options of an action, not yet validated. @throws HorariumError `bad_request`, `invalid`. */
  readTexts(name: string, texts: TextFields): Options {
    const { options: fields } = this.#actionNamed(name);
    return readTextFields({ name: `The action ${name}`, columns: describeFields(fields), fields }, texts);
  }

  /** The names of the options of an action that are secrets. @throws HorariumError `bad_request` for an unknown action. */
  secretsOf(name: string): readonly string[] {
    return secretOptionPaths([], this.#actionNamed(name).options).map(([option]) => String(option));
  }

  #actionNamed(name: string): AnyAction {
    const { actions } = this.#options;
    const action = actions.get(name);
    if (!action) throw badRequest(`It cannot be tested: ${missingExtension('action', name, actions.keys())}`);
    return action;
  }

  async #readLists(actor: Actor, owner: ListOwner, id: number): Promise<Named & { readonly lists: OwnedLists }> {
    if (owner === 'service') {
      if (!isAdmin(actor))
        throw denied(`${actor.name} may not test the actions of the service: that takes the role admin.`);
      return { lists: this.#options.serviceActions, company: anyCompany, runtemplate: anyTemplate };
    }
    return this.#options.store.read(async (tables) => {
      if (owner === 'company') {
        const lists = await readVisible(tables, actor, Company, id);
        await authorize(tables, actor, Company, lists, lists);
        return { lists, company: namedRecord(lists), runtemplate: anyTemplate };
      }
      const lists = await readVisible(tables, actor, RunTemplate, id);
      await authorize(tables, actor, RunTemplate, lists, lists);
      const company = await readById(tables, Company, lists.company_id);
      return { lists, company: namedRecord(company), runtemplate: namedRecord(lists) };
    });
  }

  async #attempt(action: AnyAction, event: ActionEvent, options: Options, named: Named): Promise<TestResult> {
    const delivery = {
      id: crypto.randomUUID(),
      attempt: 1,
      options,
      notice: testNotice(event, named, this.#options),
      hasEnded: event !== 'on_start',
      deactivateTemplate: async () => 'Nothing is done: this is a test.',
    };
    const { clock } = this.#options;
    const attempt = { action, delivery, secrets: secretsIn(action, options) };
    const { error, result } = await attemptDelivery(attempt, { clock, stop: new AbortController().signal });
    const { status = null, response = null } = result;
    return { action: action.name, endpoint: action.endpoint?.(options) ?? action.name, error, status, response };
  }
}

function namedRecord({ id, code, name }: NamedRecord): NamedRecord {
  return { id, code, name };
}

/** Returns a notice that says in its subject and in its reason that it is a test. */
function testNotice(
  event: ActionEvent,
  { company, runtemplate }: Named,
  { clock, recordUrl }: TestNoticesOptions,
): Notice {
  const now = clock.now();
  return {
    event,
    occurred_at: now,
    reason: 'this is a test: nothing has happened',
    company,
    runtemplate: { ...runtemplate, name: `(TEST) ${runtemplate.name}` },
    app: { id: 0, code: null, name: 'Test' },
    task: null,
    job: null,
    run_id: stableUuid(['TestNotice', now]),
    failures: event === 'on_failure' || event === 'on_missed' ? 1 : 0,
    failing_since: null,
    output: null,
    digest: null,
    link: recordUrl('index'),
  };
}
