import { execFile } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { HttpService } from '../../../support/http/http-service.ts';
import { temporaryFolder } from '../../../support/mocha/temporary-folder.ts';

const redocly = fileURLToPath(import.meta.resolve('@redocly/cli/bin/cli.js'));

describe('Redocly with its recommended rules', () => {
  let folder: string;
  before(() => {
    folder = temporaryFolder('openapi');
  });
  after(() => rmSync(folder, { recursive: true }));

  /** The problems that it reports for a document. */
  function lint(document: object): Promise<string[]> {
    const file = join(folder, 'openapi.json');
    writeFileSync(file, JSON.stringify(document));
    const { PATH } = process.env;
    const env = { PATH, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', CI: 'true', HOME: folder };
    const line = [redocly, 'lint', '--extends=recommended', '--format=json', file];
    return new Promise((resolve, reject) => {
      execFile(process.execPath, line, { cwd: folder, env }, (_error, out, err) => {
        try {
          const { problems } = JSON.parse(out) as { problems: { ruleId: string; message: string }[] };
          resolve(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`));
        } catch {
          reject(new Error(`redocly did not answer in JSON: ${out}${err}`));
        }
      });
    });
  }

  it('accepts the document', async () => {
    expect(await lint(new HttpService().document)).to.deep.equal([]);
    expect(await lint(new HttpService({ publicUrl: 'https://jobs.acme.test/' }).document)).to.deep.equal([]);
  });

  it('reports errors of a spoilt document', async () => {
    const document = JSON.parse(JSON.stringify(new HttpService().document));
    document.paths['/apps.{suffix}'].get.operationId = 'getApp';
    document.components.schemas.App.properties.name.type = 'text';
    const rules = (await lint(document)).map((problem) => problem.split(':')[0]);
    expect(rules).to.include.members(['operation-operationId-unique', 'struct']);
  });
});
