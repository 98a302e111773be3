import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { sourceRoot } from '../../house/source-files.ts';

interface Described {
  readonly name: string;
  readonly description: string;
  readonly options?: readonly (readonly [value: string, text: string])[];
}

interface Descriptions {
  inPageWords(description: string): string;
  withNamedChoices(fields: readonly Described[]): readonly Described[];
}

describe('Descriptions of fields on pages', () => {
  let descriptions: Descriptions;

  before(async () => {
    const path = join(sourceRoot, 'plugins/console/web/data/described.ts');
    descriptions = await import(pathToFileURL(path).href);
  });

  it('call things as pages do', () => {
    const said = 'Tasks of the run template; null = none of its Tasks. A Taskforce.';
    expect(descriptions.inPageWords(said)).to.equal('runs of the template; empty = none of its runs. A Taskforce.');
  });

  it('name choices as the inputs do, whatever characters these have', () => {
    const options = [
      ['custom', 'by a cron pattern'],
      ['c++ (*', 'in C++'],
    ] as const;
    const [interval, cron] = descriptions.withNamedChoices([
      { name: 'interval', description: 'c++ (* = for programs.', options },
      { name: 'cron', description: 'Required with interval custom.' },
    ]);
    expect(interval?.description).to.equal('“in C++” = for programs.');
    expect(cron?.description).to.equal('Required with interval “by a cron pattern”.');
  });
});
