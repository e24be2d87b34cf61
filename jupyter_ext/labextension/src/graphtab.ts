import { MainAreaWidget } from '@jupyterlab/apputils';
import { BoxPanel } from '@lumino/widgets';

import { ferryIcon } from './icon';
import { ITraced, PanelModel } from './model';
import { NetronFrame } from './netron';
import { NodeFacts } from './nodefacts';

let serial = 0;

/** A traced graph in the main area, with room for Netron's own property bar. */
export class GraphTab extends MainAreaWidget<BoxPanel> {
  constructor(model: PanelModel, traced: ITraced) {
    super({ content: new BoxPanel({ direction: 'top-to-bottom', spacing: 0 }) });
    this.id = `torchferry-graph-${serial++}`;
    this.addClass('tf-GraphTab');
    this.title.label = traced.graph.name;
    this.title.caption = `Graph of ${traced.graph.call}`;
    this.title.icon = ferryIcon;
    this.title.closable = true;
    this.toolbar.hide();

    const facts = new NodeFacts(place =>
      model.revealPlace(traced.follower, place)
    );
    facts.overview(traced.graph);
    this._frame = new NetronFrame({
      label: this.title.caption,
      propertyBar: true
    });
    this._frame.selected.connect((_, names) =>
      facts.display(names[0], traced.graph.nodes[names[0]] ?? null)
    );
    this.content.addWidget(this._frame);
    this.content.addWidget(facts);
    BoxPanel.setStretch(this._frame, 1);
    BoxPanel.setStretch(facts, 0);
    BoxPanel.setSizeBasis(facts, 110);
    this._frame.open(traced.netron, `${traced.graph.name}.netron`);
  }

  setTheme(dark: boolean): void {
    this._frame.setTheme(dark);
  }

  private _frame: NetronFrame;
}
