// OperatorKnowledge: what rules/operators says, asked by the name of an operator, a dtype, a chip and a version of torch.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/data_store.h"
#include "base/result.h"
#include "base/string_map.h"
#include "migrator/operators/chips.h"
#include "migrator/operators/instead.h"
#include "migrator/rule/version.h"

namespace migrator {

// A call that is asked about.
struct AskedOperator {
    // A public name, an overload ("aten::add.Tensor", "torch.ops.aten.add.Tensor", "add.Tensor"), an operator without its
    // overload, or one of torch_npu.
    std::string_view name;
    std::string_view dtype = {};   // as torch calls it; empty: not known
    std::uint64_t dimensions = 0;  // the most that one of its tensors has; 0: not known
};

struct OperatorJudgement {
    OperatorVerdict forward = OperatorVerdict::unknown;
    std::optional<OperatorVerdict> backward;  // empty: not known, or it has no gradient
    std::string by;                           // the operator that decides; empty: none does
    std::string why;
    std::string source;                // where a reader finds it
    std::vector<std::string> kernels;  // aclnn operators behind the one that decides
    std::optional<OperatorVerdict> some;
    std::string some_by;  // with some arguments it is worse, because of this operator
    std::string instead;  // what to write in its place; empty: it runs, or that is not known

    // The worse of both directions.
    OperatorVerdict worst() const { return std::max(forward, backward.value_or(forward)); }
};

class OperatorKnowledge {
public:
    // All failures are rule_data.
    static base::Result<OperatorKnowledge> load(const base::DataStore& store);

    const ChipsFile& chips() const { return chips_; }
    const std::string& torch() const { return operators_.torch; }
    const std::vector<OverloadRow>& operators() const { return operators_.operators; }

    // `version`: empty: that of the measurement.
    OperatorJudgement judge(const AskedOperator& call, const ChipRow& chip, std::optional<Version> version) const;
    // Of one overload, without the source.
    OperatorJudgement judge_operator(const OverloadRow& row, const ChipRow& chip, std::optional<Version> version) const;
    // Whether a kernel of the NPU stands behind the operator itself, and not behind what it is composed of.
    bool has_own_kernel(std::string_view name, const ChipRow& chip) const;
    // nullptr when nothing is known of it.
    const PublicNameRow* find_name(std::string_view name) const;
    // The overloads of an operator, or the one that is named; empty when nothing is known of it.
    std::vector<const OverloadRow*> overloads_of(std::string_view name) const;
    // Of an operator that only CPUs or GPUs have: what an NPU calls in its place; empty: the same.
    std::string device_form_of(std::string_view name) const;
    // What the one kernel behind a name takes, as torch calls dtypes; empty: not known.
    std::vector<std::string> dtypes_of(std::string_view name, const ChipRow& chip) const;
    const AclnnRow* find_kernel(std::string_view aclnn) const;
    bool knows(std::string_view name) const;

private:
    OperatorJudgement judge_name(const PublicNameRow& row, const ChipRow& chip) const;
    OperatorJudgement judge_overloads(const std::vector<const OverloadRow*>& rows, const ChipRow& chip,
                                      std::optional<Version> version) const;
    // The one overload with a kernel in `names` and in what they are composed of; nullptr when there is more or less than one.
    const OverloadRow* only_kernel(const std::vector<std::string>& names, int depth = 0) const;
    const OverloadRow* kernel_behind(std::string_view name) const;
    void refuse_dtype(const AskedOperator& call, const ChipRow& chip, OperatorJudgement& out) const;
    void refuse_dimensions(const AskedOperator& call, OperatorJudgement& out) const;
    void add_source(OperatorJudgement& out) const;
    const OverloadRow* find_overload(std::string_view name) const;

    ChipsFile chips_;
    OperatorsFile operators_;
    std::vector<PublicNameRow> names_;
    KernelsFile kernels_;
    Instead instead_;
    base::StringMap<std::size_t> by_overload_, by_name_, by_kernel_;
    base::StringMap<std::vector<std::size_t>> by_operator_;  // without overloads
};

}  // namespace migrator
