import { expect } from 'chai';
import { attemptOptions, restrictionRefusal } from '#core/executor/restrictions';
import { recordServices } from '../../support/worlds/record-world.ts';

const { executors } = recordServices;
const template = { executor: 'container', executor_options: { private_network: true, memory_max: 5, grace: 3 } };

function given(options: typeof template | object, executor: string) {
  const of = { ...template, ...options };
  const run = attemptOptions(executors, of, executor);
  return { ...run, refusal: restrictionRefusal(executors, run, executor) };
}

describe('The options of an attempt', () => {
  it('are the options of its template', () => {
    expect(given({}, 'container')).to.deep.equal({ options: template.executor_options, unenforced: [], refusal: null });
  });

  it('are those that restrict where its executor is another one that knows them', () => {
    const options = { private_network: true, memory_max: 5 };
    expect(given({}, 'native')).to.deep.equal({ options, unenforced: [], refusal: null });
  });

  it('refuse an executor that cannot enforce one that restricts', () => {
    expect(given({}, 'remote').refusal).to.equal(
      'the executor remote cannot enforce private_network, memory_max of the template',
    );
    const user = { executor: 'native', executor_options: { user: 'backup', nice: 5 } };
    expect(given(user, 'container').refusal).to.equal('the executor container cannot enforce user of the template');
    expect(given({ executor_options: { memory_max: -5 } }, 'native').refusal).to.match(/memory_max/);
  });

  it('do not restrict where they are not set', () => {
    const executor_options = { private_network: false, memory_max: null, grace: 3 };
    expect(given({ executor_options }, 'remote')).to.deep.equal({ options: {}, unenforced: [], refusal: null });
  });

  it('are all taken for restrictions where the executor of the template is not known', () => {
    const unknown = { executor: 'unloaded', executor_options: { grace: 3 } };
    expect(given(unknown, 'native').refusal).to.equal('the executor native cannot enforce grace of the template');
  });

  it('refuse no executor whose attempts run elsewhere, which runs nothing that could be restricted', () => {
    const unenforced = ['private_network', 'memory_max'];
    expect(given({}, 'external')).to.deep.equal({ options: {}, unenforced, refusal: null });
  });

  it('are no inherited properties', () => {
    const executor_options = { constructor: 1, memory_max: 5 };
    expect(given({ executor_options }, 'native')).to.deep.include({ options: { memory_max: 5 }, unenforced: [] });
  });
});
