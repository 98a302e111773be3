import { Task, trustedActor } from '@horarium/core';
import { expect } from 'chai';
import { insertOne } from '#core/store/rows';
import { newRow } from '#core/store/table';
import type { ApiOperation } from '../../../../plugins/docs/api/operations.ts';
import changesTable from '../../../../plugins/event-source-changes-table/plugin.ts';
import { ErrorRequests } from '../../../support/http/error-requests.ts';
import { HttpService, type TestResponse } from '../../../support/http/http-service.ts';
import { exampleOf, idParameter, OperationRequests } from '../../../support/http/operation-requests.ts';
import { addHistory } from '../../../support/http/sample-records.ts';
import { setClockAhead } from '../../../support/store/set-clock-ahead.ts';

describe('Every operation of the OpenAPI document', () => {
  let service: HttpService;
  let requests: OperationRequests;

  before(async () => {
    service = await new HttpService({ bodyLimit: 20_000 }).start();
    const options = { sqlite_folders: [] };
    for (const kind of changesTable.eventSourceKinds?.({ options, clock: service.core.clock, log: () => {} }) ?? [])
      service.core.eventSourceKinds.set(kind.name, { ...kind, probe: async () => undefined });
    requests = new OperationRequests(service);
  });
  after(() => service.stop());

  /** Creates the record of each example, in an order in which references exist. @returns the operations in that order. */
  async function createAll(): Promise<ApiOperation[]> {
    const created: ApiOperation[] = [];
    const waiting = requests.operations.filter(({ responses }) => '201' in responses);
    for (let responses: TestResponse[] = []; waiting.length > 0; responses = []) {
      for (const operation of [...waiting]) {
        const response = await requests.send(operation);
        responses.push(response);
        if (response.status !== 201) continue;
        waiting.splice(waiting.indexOf(operation), 1);
        created.push(operation);
        requests.ids.set(idParameter(operation) ?? '', response.json.id);
        if (operation.operationId === 'saveRunTemplate') await createSecondTemplate(operation);
      }
      if (responses.every(({ status }) => status !== 201))
        throw new Error(`Nothing more can be created: ${responses.map(({ text }) => text).join('\n')}`);
    }
    return created;
  }

  /** The event rule of the example chains one template to another. */
  function createSecondTemplate(operation: ApiOperation): Promise<TestResponse> {
    return requests.send(operation, { body: { ...(exampleOf(operation) as object), code: 'reports' } });
  }

  /** Sends the example again, which updates the record. */
  async function saveAgain(operation: ApiOperation): Promise<number> {
    const name = idParameter(operation);
    const search = name === undefined ? '' : `${name}=${requests.ids.get(name)}`;
    // Only some fields of a job ever change.
    const change = operation.operationId === 'saveJob' ? { body: { scheduled_at: 'now' } } : {};
    return (await requests.send(operation, { search, ...change })).status;
  }

  /** Changes a record. @returns the id of the entry of the audit log, which can be undone. */
  async function changeRecord(): Promise<number> {
    const { json } = await service.requestAsAdmin('/topic/1.json', { method: 'POST', body: { name: 'renamed' } });
    const entries = await service.requestAsAdmin(`/auditlog.json?entity_type=Topic&entity_id=${json.id}&limit=1`);
    return entries.json[0].id;
  }

  /** Adds a Task that has not ended. @returns its id. */
  async function addOpenTask(): Promise<number> {
    const window = { window_start: 0, window_end: 1, deadline: 1 };
    return service.core.store.transaction(trustedActor('test'), (tables) =>
      insertOne(tables.of(Task), newRow(Task, { runtemplate_id: 1, company_id: 1, ...window })),
    );
  }

  async function readTwice(operation: ApiOperation): Promise<number[]> {
    const { status, headers } = await requests.send(operation);
    if (!('304' in operation.responses)) return [status];
    const again = await requests.send(operation, { headers: { 'if-none-match': headers['etag'] as string } });
    return [status, again.status];
  }

  it('accepts its own example, and each documented response occurs as documented', async () => {
    const { openApiCheck, core } = service;
    const errors = new ErrorRequests(service, requests);
    const unexpected: string[] = [];
    const note = (operation: ApiOperation, status: number, expected: readonly number[]) => {
      if (!expected.includes(status)) unexpected.push(`${operation.operationId}: ${status} in place of ${expected}`);
    };

    const created = await createAll();
    await addHistory(service, { runtemplate_id: 1, company_id: 1, app_id: 1 });
    for (const operation of created) note(operation, await saveAgain(operation), [200]);
    requests.ids.set('auditLogId', await changeRecord());
    const others = requests.operations.filter(({ method, responses }) => method !== 'DELETE' && !('201' in responses));
    for (const operation of others) {
      if (operation.operationId === 'confirmClock') await setClockAhead(core.database, 86_400_000);
      if (operation.operationId === 'waiveTask') requests.ids.set('taskId', await addOpenTask());
      for (const status of await readTwice(operation)) note(operation, status, [200, 204, 304]);
    }

    for (const operation of requests.operations)
      for (const [status, response] of Object.entries(operation.responses))
        if ('$ref' in response || Number(status) >= 400)
          note(operation, await errors.cause(operation, Number(status)), [Number(status)]);

    const removals = requests.operations.filter(({ method }) => method === 'DELETE');
    const place = ({ path }: ApiOperation) =>
      created.findIndex((each) => each.path === path.replace(/\/\{\w+\}\.\{suffix\}$/, ''));
    for (const operation of removals.sort((one, other) => place(other) - place(one))) {
      const cascades = (operation.parameters ?? []).some(({ name }) => name === 'cascade');
      note(operation, (await requests.send(operation, cascades ? { search: 'cascade=true' } : {})).status, [204]);
    }

    expect(unexpected).to.deep.equal([]);
    expect([...openApiCheck.described].filter((response) => !openApiCheck.occurred.has(response))).to.deep.equal([]);
    expect(core.database.broken).to.equal(false);
  });
});
