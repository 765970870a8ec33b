import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { createWindowEdges } from '../../../client/reading/window-edges.ts';

type Style = { setProperty(name: string, value: string): void; removeProperty(name: string): void };

function createStyle(): { properties: Map<string, string>; style: Style } {
  const properties = new Map<string, string>();
  const setProperty = (name: string, value: string) => void properties.set(name, value);
  return { properties, style: { setProperty, removeProperty: (name) => void properties.delete(name) } };
}

const globals = ['document', 'window'];

describe('createWindowEdges', () => {
  let dock: { offsetHeight: number };
  let header: { height: number };
  let root: ReturnType<typeof createStyle>;

  beforeEach(() => {
    dock = { offsetHeight: 90 };
    header = { height: 60.5 };
    root = createStyle();
    const document = {
      documentElement: { style: root.style },
      querySelector: (selector: string) =>
        selector === '.header' ? { getBoundingClientRect: () => ({ ...header }) } : null,
    };
    Object.assign(globalThis, { document, window: { innerHeight: 800 } });
  });
  afterEach(() => {
    for (const name of globals) Reflect.deleteProperty(globalThis, name);
  });

  const openEdges = () => createWindowEdges(dock as unknown as HTMLElement);

  it('passes the heights of the header and the dock to the styles of the page, and that of the dock to the latest turn', () => {
    const edges = openEdges();
    const latest = createStyle();
    edges.measure({ style: latest.style } as unknown as HTMLElement);
    expect(edges.foldTop()).to.equal(710);
    expect([...root.properties]).to.deep.equal([
      ['--header-height', '60.5px'],
      ['--dock-height', '90px'],
    ]);
    expect([...latest.properties]).to.deep.equal([['--dock-height', '90px']]);
    edges.clear();
    expect(root.properties.size).to.equal(0);
  });

  it('reports a change if the height of the header or the dock differs from the last measurement', () => {
    const edges = openEdges();
    edges.measure(undefined);
    expect(edges.haveChanged()).to.equal(false);
    header.height = 60.75;
    expect(edges.haveChanged()).to.equal(true);
    edges.measure(undefined);
    expect(edges.haveChanged()).to.equal(false);
    dock.offsetHeight = 120;
    expect(edges.haveChanged()).to.equal(true);
  });
});
