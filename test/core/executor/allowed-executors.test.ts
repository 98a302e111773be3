import { expect } from 'chai';
import { allowedExecutors, executorRefusal, type RunnableApp } from '#core/executor/allowed-executors';
import { recordServices } from '../../support/worlds/record-world.ts';

const { executors } = recordServices;
const program = {
  id: 3,
  executable: '/bin/true',
  arguments: [] as string[],
  oci_image: null,
  executors: [] as string[],
};
const image = { ...program, oci_image: 'docker.io/library/alpine:3' };

describe('The executors that an App may be run with', () => {
  for (const [what, app, expected] of [
    ['a program', program, ['native', 'remote', 'external']],
    ['a program of an image', image, ['container', 'external']],
    ['a URL', { ...program, executable: 'https://shop.example.com/cron' }, ['request', 'external']],
    ['a program, as it names', { ...program, executors: ['native'] }, ['native']],
    ['a program of an image, as it names', { ...image, executors: ['native', 'container'] }, ['native', 'container']],
  ] satisfies [string, RunnableApp, string[]][]) {
    it(`are ${expected.join(', ')} for ${what}`, () => {
      expect(allowedExecutors(executors, app)).to.deep.equal(expected);
    });
  }

  it('are named by the refusal of another one', () => {
    expect(executorRefusal(executors, image, 'container')).to.equal(null);
    expect(executorRefusal(executors, image, 'native')).to.equal(
      'executor must be one of container, external for jobs of App 3, not native',
    );
    expect(executorRefusal(executors, { ...image, executors: ['container'] }, 'external')).to.equal(
      'executor must be container for jobs of App 3, not external',
    );
  });

  it('include none that a plugin brings for programs where the App has an image and no container executor is loaded', () => {
    const withoutContainers = new Map([...executors].filter(([name]) => name !== 'container'));
    expect(allowedExecutors(withoutContainers, image)).to.deep.equal(['external']);
  });
});
